"""Values of the formats that JSON Schema itself does not know."""

import schemathesis
from hypothesis import strategies as st

schemathesis.openapi.format("iana-time-zone", st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"]))
schemathesis.openapi.format("bcp-47", st.sampled_from(["en", "de-CH", "zh-Hant-TW"]))
