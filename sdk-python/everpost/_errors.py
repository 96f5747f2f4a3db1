from __future__ import annotations

from functools import partial
from typing import Any, List, Mapping, cast

from ._generated.error_codes import ErrorCode
from ._generated.models import Issue


class EverpostError(Exception):
    """A call that was refused or failed. Go by `code`; `message` is for people and may change.

    `code` has the codes of the API and four of the client's own: `connection_failed`, `timed_out`, `unexpected_answer` (what answered was
    not Everpost) and `missing_api_key`.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        status: int | None = None,
        body: Mapping[str, Any] | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{message} ({code})")
        self.code: ErrorCode = code
        self.message = message
        #: Of the answer; None where there was none.
        self.status = status
        #: The whole answer, with the fields that its code has: `version`, `enrolled`, `sequences` and others.
        self.body: Mapping[str, Any] = body or {}
        #: What to look for in the server's log.
        self.request_id = request_id
        #: Seconds until another try makes sense, where the server said so.
        self.retry_after = retry_after

    def __reduce__(self) -> Any:
        # An exception is made again of its args alone, as by copy, and by pickle between processes.
        return partial(type(self), self.code, self.message), (), self.__dict__

    @property
    def issues(self) -> List[Issue]:
        """Everything that is wrong with the request, of `invalid_request` and its like."""
        return cast("List[Issue]", self.body.get("issues", []))

    @property
    def reason(self) -> str | None:
        """Why, of `send_failed` and `enroll_failed`."""
        reason = self.body.get("reason")
        return reason if isinstance(reason, str) else None


class WebhookVerificationError(ValueError):
    """What came is not signed with the secret, or is too old. Answer 400."""
