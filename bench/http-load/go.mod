module everpost/bench/http-load

go 1.26
