module everpost/bench/webhook-receiver

go 1.26
