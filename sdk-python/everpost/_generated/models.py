# Made by `npm run sdk:python` from the OpenAPI document. Change the API, or sdk-python/generate.py, not this file.

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict, Union

from typing_extensions import NotRequired

ErrorCode: TypeAlias = Literal['invalid_json', 'invalid_idempotency_key', 'malformed_request', 'unauthorized', 'forbidden', 'project_suspended', 'email_unverified', 'not_found', 'method_not_allowed', 'request_timeout', 'idempotency_in_progress', 'version_conflict', 'audience_changed', 'payload_too_large', 'unsupported_media_type', 'expectation_failed', 'invalid_request', 'invalid_cursor', 'no_brand', 'unknown_template', 'template_not_enabled', 'invalid_content', 'invalid_from', 'invalid_graph', 'invalid_status', 'send_failed', 'enroll_failed', 'contact_unsubscribed', 'duplicate_key', 'duplicate_label', 'audience_too_large', 'empty_audience', 'unknown_segment', 'segment_in_use', 'schedule_in_past', 'ends_before_start', 'already_sent', 'approval_required', 'delivery_pending', 'too_many_webhooks', 'too_many_templates', 'too_many_drafts', 'too_many_recurring_campaigns', 'too_many_images', 'too_many_saved_blocks', 'too_many_keys', 'too_many_brands', 'too_many_domains', 'too_many_topics', 'too_many_languages', 'too_many_imports', 'template_not_own', 'idempotency_key_reuse', 'rate_limited', 'headers_too_large', 'internal', 'not_ready', 'unavailable']
"""Every `code` that this version can answer; later ones may have more"""


class Error(TypedDict):
    """A refusal, or a fault of the server"""

    ok: Literal[False]
    """It was refused, or failed"""
    error: str
    """For people; it may change"""
    code: str
    """Stable; branch on it"""


class SendFailed(TypedDict):
    """An email that did not go"""

    ok: Literal[False]
    """It was refused, or failed"""
    error: str
    """For people; it may change"""
    code: str
    """Stable; branch on it"""
    reason: Literal['suppressed', 'unsubscribed', 'bounced', 'unconfirmed', 'topic_off', 'render_failed', 'provider_rejected', 'outcome_unknown', 'provider_unavailable', 'attachment_gone']
    """Why; the send log starts its `error` with it"""


class VersionConflict(TypedDict):
    """Something that was changed meanwhile"""

    ok: Literal[False]
    """It was refused, or failed"""
    error: str
    """For people; it may change"""
    code: str
    """Stable; branch on it"""
    version: int
    """That it has now; 0: it is not there"""


class AudienceChanged(TypedDict):
    """An audience that is another by now"""

    ok: Literal[False]
    """It was refused, or failed"""
    error: str
    """For people; it may change"""
    code: str
    """Stable; branch on it"""
    audienceSize: int
    """Who matches now"""
    enrolled: int
    """Who of them would get it"""


class SegmentInUse(TypedDict):
    """A segment by which sequences are entered"""

    ok: Literal[False]
    """It was refused, or failed"""
    error: str
    """For people; it may change"""
    code: str
    """Stable; branch on it"""
    sequences: list[str]
    """The keys of these sequences"""


class InternalError(TypedDict):
    """A fault of the server"""

    ok: Literal[False]
    """It was refused, or failed"""
    error: str
    """For people; it may change"""
    code: str
    """Stable; branch on it"""
    requestId: str
    """What to look for in the log"""


class Issue(TypedDict):
    """One thing wrong with a request"""

    path: str
    """Where, as the caller wrote it; empty: the whole"""
    message: str
    """In words; they may change"""


class GraphIssue(TypedDict):
    """One thing wrong with a flow graph"""

    nodeId: NotRequired[str]
    """The node that it is about; without one it is about the whole"""
    message: str
    """In words; they may change"""


ContactStatus: TypeAlias = Literal['subscribed', 'unsubscribed', 'pending', 'bounced']
"""`pending`: not asked yet. `unsubscribed` and `bounced` contacts get no marketing email"""


Email: TypeAlias = str
"""Stored trimmed and in lower case, the domain as ASCII by UTS 46 (bücher.de is xn--bcher-kva.de). At most 254 octets, 64 of them before the @; the domain is a name of IDNA 2008 with a dot."""


class Consent(TypedDict):
    """What shows that the person agreed. Without it the record of a new contact has `source` and the address and user agent of the calling request: those of your backend, so hand over the person's. On an existing contact nothing else rewrites the record, which GET /contacts/:id shows"""

    source: NotRequired[str | None]
    """Where the person agreed, like signup-form"""
    ip: NotRequired[str | None]
    """The person's address"""
    userAgent: NotRequired[str | None]
    """The person's browser"""


JsonValue: TypeAlias = Any
"""Any JSON value"""


Timestamp: TypeAlias = str
"""ISO 8601; in answers UTC with milliseconds"""


class Warning(TypedDict):
    """Something that may not be what was meant"""

    path: str
    """What it is about, as the caller wrote it"""
    message: str
    """In words; they may change"""


SuppressionReason: TypeAlias = Literal['bounce', 'complaint', 'manual', 'global_unsubscribe']
"""`bounce`: email came back, as the provider reports; `complaint`: email was marked as spam, as the provider reports; `manual`: added by hand; `global_unsubscribe`: an opt-out from everything"""


class ContactConfirmation(TypedDict):
    """How the person was asked to confirm a sign-up, and what came of it"""

    state: Literal['waiting', 'confirmed', 'expired', 'ended']
    """`waiting`: asked, no answer yet. `expired`: not answered in time. `confirmed`: by the person. `ended`: the contact got another status meanwhile. While it is waiting or expired no marketing email goes to the contact"""
    asked_at: Timestamp
    """When the person was asked after the last sign-up, or is to be"""
    mails: int
    """Emails that asked since then, reminders included"""
    mailed_at: Timestamp | None
    """When the last one was made"""
    error: str | None
    """Why that one did not leave, like `suppressed`; null: it did"""
    ended_at: Timestamp | None
    """When it was confirmed, or ended; null while it is waiting"""
    ip: str | None
    """Of a confirmed one: from which address"""
    user_agent: str | None
    """With which browser"""
    text: str | None
    """The words of the page on which the person confirmed"""


class PersonalSuppression(TypedDict):
    """Why an address gets no email at all"""

    reason: SuppressionReason
    created_at: Timestamp
    """Since when"""


class PersonalTopic(TypedDict):
    """A topic as it stands for a person"""

    key: str
    """The key of the topic"""
    name: str | None
    """As people read it; null: the topic was deleted since the person chose"""
    chosen: bool | None
    """What the person chose; null: nothing"""
    on: bool | None
    """Whether its emails go to the person, by the choice or the default; null: it was deleted"""


class TimelineEntry(TypedDict):
    """One thing that happened to the contact"""

    id: str
    """Of the entry; the same whenever it is read"""
    at: Timestamp
    """When it happened"""
    kind: Literal['contact_created', 'consent_changed', 'suppressed', 'event', 'event_refused', 'mail_sent', 'mail_failed', 'mail_skipped', 'mail_reported', 'mail_opened', 'mail_clicked', 'sequence_entered', 'sequence_left', 'enrollment_refused', 'campaign_left_out']
    """What happened"""
    details: dict[str, JsonValue]
    """`contact_created`: source, status, consent_source, consent_ip, consent_user_agent, consent_at, topics (null where none was chosen), as they were at first. `consent_changed`, a change of the status, of topics or of the consent: from and to (statuses, the same where it stayed), cause (api_call, mail_link, complaint, bounce, suppression, sequence, confirmation, import), of which key_id, send_id or enrollment_id with sequence_key and sequence_name says which one (send_id with `sends:read` only), the four of the new consent, null where it stayed, topics and topics_before, those that the person chose and what they were before, null where none changed, and by_ip and by_user_agent, the request by which the person did it on a page, else null. `suppressed`: reason. `event`: event_id, type, data (null when it is larger than 8 KB). `event_refused`: type, reason. `mail_…`: send_id, template, subject; of `mail_sent` and `mail_failed` also type, error, source_type, source_id, and, null unless a sequence asked for it, enrollment_id, sequence_key, sequence_name; of `mail_opened` and `mail_clicked`, which stand at the first time, count; of `mail_reported` report (delivered, bounced or complained), provider, bounce. `mail_skipped`, an email that a sequence left out, has other details, as there is no send of it: enrollment_id, sequence_key, sequence_name, node_id, template, and as its reason the detail of the step: suppressed, unsubscribed, bounced, frequency_cap or another. `sequence_…`: enrollment_id, sequence_key, sequence_name; of `sequence_left` also status, end_reason; of `sequence_entered` what the run waits for now, waiting_for and wakes_at as GET /enrollments/:id has them. `enrollment_refused`: sequence_key, sequence_name, reason. `campaign_left_out`: campaign_id, campaign_name, template, reason. Of `mail_…`, `sequence_…` and `campaign_…` also sandboxed: whether the email never left, and whether none of the emails of the run does."""


class PersonalConfirmation(TypedDict):
    """How a person was asked to confirm, with what proves the answer"""

    state: Literal['waiting', 'confirmed', 'expired', 'ended']
    """`waiting`: asked, no answer yet. `expired`: not answered in time. `confirmed`: by the person. `ended`: the contact got another status meanwhile. While it is waiting or expired no marketing email goes to the contact"""
    asked_at: Timestamp
    """When the person was asked after the last sign-up, or is to be"""
    mails: int
    """Emails that asked since then, reminders included"""
    mailed_at: Timestamp | None
    """When the last one was made"""
    error: str | None
    """Why that one did not leave, like `suppressed`; null: it did"""
    ended_at: Timestamp | None
    """When it was confirmed, or ended; null while it is waiting"""
    ip: str | None
    """Of a confirmed one: from which address"""
    user_agent: str | None
    """With which browser"""
    text: str | None
    """The words of the page on which the person confirmed"""
    id: str
    """Of the confirmation, as its workflow has it"""
    created_at: Timestamp
    """When the person first signed up"""
    sign_ups: int
    """How often the person signed up and was asked anew, the first time included"""


class PersonalEvent(TypedDict):
    """A product event"""

    id: str
    """`event_id` of the timeline"""
    type: str
    """What happened"""
    data: dict[str, JsonValue]
    """All that it says"""
    created_at: Timestamp
    """When it was made"""


EnrollmentStatus: TypeAlias = Literal['active', 'completed', 'cancelled']
"""`completed`: it came to an end of the flow; `cancelled`: it was ended before"""


Wait: TypeAlias = Literal['delay', 'condition', 'time', 'subflow', 'webhook', 'digest', 'throttle', 'held:paused', 'held:project_suspended', 'held:email_unverified', 'held:send_window', 'held:frequency_cap', 'held:provider_unavailable', 'held:too_many_steps']
"""What a run waits for, beside events of a type; `webhook`: between the tries of a call. `held:` and why its step may not be done now"""


EndReason: TypeAlias = Literal['exit', 'goal', 'dead_end', 'hop_guard', 'failed', 'cancelled', 'exit_sequences', 'archived', 'terminated']
"""How a run ended"""


NodeKind: TypeAlias = Literal['trigger', 'send_email', 'wait_delay', 'wait_until', 'digest', 'throttle', 'branch', 'split', 'update_contact', 'webhook', 'subflow', 'goal', 'exit']
"""A kind of node"""


class Cell(TypedDict):
    column: str | None
    """The name of the column, or its number; null: there is none for the cell"""
    value: str
    """As the file has it"""


class PersonalRefusedRow(TypedDict):
    """A row with the address of a person, which an import refused"""

    import_id: str
    """Of GET /imports/:id"""
    filename: str
    """Of the file, as it was uploaded"""
    imported_at: Timestamp
    """When the import was begun"""
    row: int
    """From 1, the names of the columns not counted"""
    reason: Literal['email_missing', 'email_invalid', 'invalid_value', 'not_utf8', 'too_many_cells', 'too_many_tags', 'attributes_too_large']
    """Why it was refused"""
    message: str
    """In words"""
    cells: list[Cell]
    """All of the row"""


SendType: TypeAlias = Literal['transactional', 'marketing']
"""`marketing` email goes to subscribed contacts only and has an unsubscribe link; `transactional` email does without"""


SendStatus: TypeAlias = Literal['sent', 'failed', 'scheduled']
"""sent: the provider took it; scheduled: it is to go at `send_at`"""


SendSource: TypeAlias = Literal['api', 'campaign', 'sequence', 'test', 'confirmation']
"""What sent it"""


class SentAttachment(TypedDict):
    """A file of an email; its bytes are kept for a time"""

    number: int
    """By which GET /sends/:id/attachments/:number knows it"""
    filename: str
    """As the email names it"""
    content_type: str
    """Its media type"""
    content_id: str | None
    """The page shows it as `cid:…`; null: it is an attachment of its own"""
    size: int
    """Bytes"""
    sha256: str
    """Of its bytes, 64 hex digits"""


class Bounce(TypedDict):
    """Why an email came back"""

    kind: Literal['hard', 'soft']
    """soft: it may pass, like a full mailbox"""
    code: str | None
    """RFC 3463, like 5.1.1, or whatever the provider tells"""


class SendEvent(TypedDict):
    """One report of the provider about the email"""

    type: Literal['queued', 'delivered', 'bounced', 'complained', 'opened', 'clicked']
    """What happened"""
    provider: str
    """Who reported it"""
    occurred_at: Timestamp
    """When it happened, says the provider"""
    received_at: Timestamp
    """When the report came"""
    bounce: Bounce | None
    """Of a bounce"""
    url: str | None
    """The link that was clicked"""
    recipient: str | None
    """Whom it is about, `to_email` or a copy; null: erased, or not known"""


class PersonalHit(TypedDict):
    """What was done with an email, by its image and its links"""

    kind: Literal['opened', 'clicked', 'unsubscribed']
    """What was done"""
    url: str | None
    """The link that was clicked"""
    is_bot: bool
    """By a program that looks at email before its reader does; it counts nowhere"""
    count: int
    """How often"""
    at: Timestamp
    """The last time"""


class LeftOut(TypedDict):
    """A copy that did not go, while the email did"""

    email: str
    """The address"""
    reason: Literal['suppressed', 'unsubscribed', 'bounced', 'unconfirmed', 'topic_off', 'provider_rejected']
    """As of an email that fails; `provider_rejected`: the mail server would not have this address while it took the email"""
    message: NotRequired[str]
    """The mail server's words"""


class Topic(TypedDict):
    """Something that people choose to get or not"""

    key: str
    """Unique in the project"""
    name: str
    """As people read it"""
    description: str
    """What it is; "" where nothing is said"""
    defaultOn: bool
    """Whether those get it who have not chosen"""
    public: bool
    """Whether the page on which people choose offers it to everybody"""


class TopicInput(TypedDict):
    """Something that people choose to get or not"""

    key: str
    """Names it in calls, conditions and links; it cannot be changed"""
    name: str
    """As people read it, like "Monthly newsletter\""""
    description: NotRequired[str | None]
    """What it is and how often it comes, for the page on which people choose"""
    defaultOn: NotRequired[bool | None]
    """Whether those get it who have not chosen; `true` when omitted"""
    public: NotRequired[bool | None]
    """Whether the page on which people choose offers it to everybody; `true` when omitted. Any other is shown to those who get it"""


class TopicChange(TypedDict):
    """What is omitted stays as it is"""

    name: NotRequired[str | None]
    """As people read it, like "Monthly newsletter\""""
    description: NotRequired[str | None]
    """What it is and how often it comes, for the page on which people choose"""
    defaultOn: NotRequired[bool | None]
    """Whether those get it who have not chosen; `true` when omitted"""
    public: NotRequired[bool | None]
    """Whether the page on which people choose offers it to everybody; `true` when omitted. Any other is shown to those who get it"""


class ImportSettings(TypedDict):
    """How the file is read, and what its rows come to"""

    mapping: NotRequired[Any]
    """What each column is, by its name in the first row, or by its number from 1: `email`, `first_name`, `last_name`, `display_name`, `timezone`, `locale`, `status`, `suppressed`, `source`, `tags`, `consent.source`, `consent.ip`, `consent.user_agent`, `consent.at`, `attributes.<name>`, `topics.<key>`; null: nothing. An attribute is text, or `{ "field": "attributes.age", "type": "number" }`, or a boolean. A column that is not named here is what its name says (`First Name` is `first_name`), or nothing; one whose name is a topic that there is not has to be named"""
    delimiter: NotRequired[str | None]
    """Of the cells; comma, semicolon, tab and | are found out"""
    header: NotRequired[bool | None]
    """Whether the first row has the names of the columns; true when omitted"""
    onExisting: NotRequired[Literal['update', 'skip'] | None]
    """`update`: what a row says is written. `skip`: existing contacts stay, but for what a row says against mail. `update` when omitted"""
    dryRun: NotRequired[bool | None]
    """Nothing is written: it tells what would become of the rows, and what is wrong with them"""
    paused: NotRequired[bool | None]
    """It waits for POST /imports/:id/resume: for a look at its `columns` first"""
    tags: NotRequired[list[str] | None]
    """Added to every contact of the file"""
    tagSeparator: NotRequired[str | None]
    """Between the tags of a cell; a comma when omitted"""
    brand: NotRequired[str | None]
    """Of new contacts: a brand's slug, the project's default when omitted"""


class ImportColumn(TypedDict):
    """A column of a file"""

    name: str
    """In the first row, or its number from 1"""
    field: str | None
    """What it is of a contact; null: nothing"""


RowRefusal: TypeAlias = Literal['email_missing', 'email_invalid', 'invalid_value', 'not_utf8', 'too_many_cells', 'too_many_tags', 'attributes_too_large']
"""`email_missing`: it has no address. `email_invalid`: its address is none that mail can be sent to. `invalid_value`: a cell has a value that its field does not take. `not_utf8`: it has bytes that are not UTF-8. `too_many_cells`: it has more cells than there are columns. `too_many_tags`: the contact would have more tags than a contact may have. `attributes_too_large`: the attributes of the contact would be more, or larger, than they may be"""


MailboxText: TypeAlias = str
"""An address as `Email` has it, or with a name: `Ann <ann@example.com>`, `"Bell, Ann" <ann@example.com>`. One, not a list."""


class Sender(TypedDict):
    """Whom the email is from; the brand says so when omitted"""

    email: Email
    """On a verified sending domain of the project"""
    name: NotRequired[str | None]
    """Shown beside the address"""


class Attachment(TypedDict):
    """A file of an email"""

    filename: NotRequired[str | None]
    """Without a path; required beside `content`, the uploaded file's when omitted beside `path`"""
    content: NotRequired[str | None]
    """The bytes in base64 (RFC 4648 4), with padding and without line breaks"""
    path: NotRequired[str | None]
    """The id of an uploaded file, as POST /files answered"""
    contentType: NotRequired[str | None]
    """A media type without parameters; the uploaded file's, else by the name, when omitted"""
    contentId: NotRequired[str | None]
    """The page shows it as `cid:…`; it is no attachment of its own then. Each once in an email"""


class SendBatchResult1(TypedDict):
    """What POST /send would have answered to the email"""

    ok: Literal[True]
    """It was sent, or is to go later"""
    id: NotRequired[str]
    """The provider's message id"""
    missing: NotRequired[list[str]]
    """Paths that the email shows and the data lacks; they rendered empty. Absent when there are none"""
    leftOut: NotRequired[list[LeftOut]]
    """Copies that did not go, while the email did. Absent when there are none"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""
    status: NotRequired[Literal['scheduled']]
    """Of one that is to go later: `id` is that of its row"""
    sendAt: NotRequired[str]
    """When it is to go"""
    replayed: NotRequired[Literal[True]]
    """A stored answer is given again; absent otherwise"""


class SendBatchResult2(TypedDict):
    """What POST /send would have answered to the email"""

    ok: Literal[False]
    """It was not sent"""
    error: str
    """For people; it may change"""
    code: str
    """Stable; as POST /send would have answered, or `unavailable`: not begun in time"""
    reason: NotRequired[str]
    """Of `send_failed`"""
    retryAfterSeconds: NotRequired[int]
    """When it may be tried again"""
    replayed: NotRequired[Literal[True]]
    """A stored answer is given again; absent otherwise"""


SendBatchResult: TypeAlias = SendBatchResult1 | SendBatchResult2
"""What POST /send would have answered to the email"""


class SendCheckRecipient(TypedDict):
    """Whom an email would be to"""

    to: NotRequired[MailboxText | None]
    """An address; required unless contactId is given"""
    contactId: NotRequired[str | None]
    """Takes precedence over to"""


class SendCheckResult(TypedDict):
    """What would become of an email to one recipient"""

    reason: Literal['suppressed', 'unsubscribed', 'bounced', 'unconfirmed', 'topic_off', 'not_found'] | None
    """Why it would not go; `not_found`: there is no such contact. null: it would go"""
    repeats: int | None
    """The place in `recipients`, from 0, of the first one with the same address, however it was named: a batch would send to it twice. null: none comes before it"""


class SendLogEntry(TypedDict):
    """One attempt to send"""

    id: str
    """Of this row; `provider_id` is the provider's"""
    contact_id: str | None
    """null for transactional email to an address without a contact"""
    brand_id: str
    """The brand's slug"""
    to_email: str
    """The recipient"""
    template: str | None
    """The key of the template; null: the call brought the content itself"""
    type: SendType
    subject: str
    """"" when it was not rendered"""
    status: SendStatus
    error: str | None
    """Why it failed, the `reason` first; null when it was sent"""
    delivery_status: Literal['queued', 'delivered', 'bounced', 'complained'] | None
    """The furthest that the provider reported; null: nothing yet"""
    provider_id: str | None
    """The `id` that POST /send answered; null when it failed"""
    provider: str | None
    """The name of the mail provider that was asked; null: none was, or it was sent by a version that did not note it"""
    source_type: SendSource
    source_id: str | None
    """The id of that campaign or sequence"""
    first_opened_at: Timestamp | None
    """null: not opened, or not tracked"""
    open_count: int
    """How often it was opened"""
    first_clicked_at: Timestamp | None
    """null: not clicked, or not tracked"""
    click_count: int
    """How often a link was clicked"""
    last_event_at: Timestamp | None
    """When anything was last reported"""
    sandboxed: bool
    """It never left: asked for with a test key, of a sandbox, or to an address of everpost.test"""
    created_at: Timestamp
    """When it was made"""
    send_at: Timestamp | None
    """Of a scheduled one: when it is to go"""
    retried_as: str | None
    """Of a failed one that was sent again: the row that follows it, 404 until it has its outcome, and for good where a campaign skipped the recipient then"""
    retry_of: str | None
    """The failed row that this one follows"""
    cc: list[str]
    """Who was to get a copy and is named in it"""
    bcc: list[str]
    """Who was to get a copy that nobody sees"""
    left_out: list[LeftOut]
    """Those of cc and bcc who did not get it, and why"""
    topic: str | None
    """The key of the topic that the call or the step named; null: none. That of a campaign is in its record"""
    tags: list[str]
    """Those of the call"""
    metadata: dict[str, str]
    """Those of the call"""


class SendWithEvents(TypedDict):
    """One attempt to send with what became of it"""

    id: str
    """Of this row; `provider_id` is the provider's"""
    contact_id: str | None
    """null for transactional email to an address without a contact"""
    brand_id: str
    """The brand's slug"""
    to_email: str
    """The recipient"""
    template: str | None
    """The key of the template; null: the call brought the content itself"""
    type: SendType
    subject: str
    """"" when it was not rendered"""
    status: SendStatus
    error: str | None
    """Why it failed, the `reason` first; null when it was sent"""
    delivery_status: Literal['queued', 'delivered', 'bounced', 'complained'] | None
    """The furthest that the provider reported; null: nothing yet"""
    provider_id: str | None
    """The `id` that POST /send answered; null when it failed"""
    provider: str | None
    """The name of the mail provider that was asked; null: none was, or it was sent by a version that did not note it"""
    source_type: SendSource
    source_id: str | None
    """The id of that campaign or sequence"""
    first_opened_at: Timestamp | None
    """null: not opened, or not tracked"""
    open_count: int
    """How often it was opened"""
    first_clicked_at: Timestamp | None
    """null: not clicked, or not tracked"""
    click_count: int
    """How often a link was clicked"""
    last_event_at: Timestamp | None
    """When anything was last reported"""
    sandboxed: bool
    """It never left: asked for with a test key, of a sandbox, or to an address of everpost.test"""
    created_at: Timestamp
    """When it was made"""
    send_at: Timestamp | None
    """Of a scheduled one: when it is to go"""
    retried_as: str | None
    """Of a failed one that was sent again: the row that follows it, 404 until it has its outcome, and for good where a campaign skipped the recipient then"""
    retry_of: str | None
    """The failed row that this one follows"""
    cc: list[str]
    """Who was to get a copy and is named in it"""
    bcc: list[str]
    """Who was to get a copy that nobody sees"""
    left_out: list[LeftOut]
    """Those of cc and bcc who did not get it, and why"""
    topic: str | None
    """The key of the topic that the call or the step named; null: none. That of a campaign is in its record"""
    tags: list[str]
    """Those of the call"""
    metadata: dict[str, str]
    """Those of the call"""
    enrollment_id: str | None
    """The run of the sequence that sent it"""
    variant: str | None
    """The arm of a campaign with a test"""
    locale: str | None
    """The language of the template that it is in; null: the default"""
    closed_at: Timestamp | None
    """When it had its outcome"""
    reply_to: str | None
    """Where answers go as the call says it; null: the brand's, or the sender"""
    headers: dict[str, str]
    """Those that the call set"""
    attachments: list[SentAttachment]
    """Its files, in the order of the call"""
    bounce: Bounce | None
    """Why it came back; null when it did not"""
    events: list[SendEvent]
    """What the provider reported, in the order in which it happened; kept for 90 days"""


class ScheduledSendInput(TypedDict):
    """When it is to go"""

    sendAt: Timestamp
    """At most 90 days ahead"""


class SendRetryInput(TypedDict):
    """What an email is made of that is not kept"""

    data: NotRequired[dict[str, JsonValue] | None]
    """Of an email of POST /send or a test: what it shows, given again"""


class FileUpload(TypedDict):
    """A form with one file"""

    file: str
    """The bytes, with a filename and their Content-Type"""


class File(TypedDict):
    """An uploaded file, for emails"""

    id: str
    """What an email names it by"""
    filename: str
    """As it was uploaded"""
    content_type: str
    """As the part said, in lower case and without parameters"""
    size: int
    """Bytes"""
    sha256: str
    """Of its bytes, 64 hex digits"""
    created_at: Timestamp
    """When it was made"""
    expires_at: Timestamp
    """It is gone then, unless an email uses its bytes before: a year after the last"""


class ImageUpload(TypedDict):
    """A form with one picture"""

    file: str
    """The bytes, with a filename"""


class Image(TypedDict):
    """A picture for emails, with a public address"""

    id: str
    """What it is deleted by"""
    url: str
    """Public, for `src` of an image block; what is behind it never changes"""
    filename: str
    """As it was uploaded first"""
    content_type: Literal['image/png', 'image/jpeg', 'image/gif', 'image/webp']
    """As its bytes show it"""
    width: int
    """Pixels"""
    height: int
    """Pixels"""
    size: int
    """Bytes"""
    sha256: str
    """Of its bytes, 64 hex digits"""
    created_at: Timestamp
    """When it was made"""


class From(TypedDict):
    """null: the brand's sender"""

    email: str
    """The address"""
    name: NotRequired[str]
    """Shown beside it"""


Template = TypedDict(
    'Template',
    {
        'key': str,
        'name': str,
        'description': str,
        'type': SendType,
        'own': bool,
        'enabled': bool,
        'subject': str,
        'from': From | None,
    },
)


class TemplateField(TypedDict):
    """One variable that the template expects in data"""

    path: str
    """Dotted, like order.total"""
    kind: Literal['string', 'number', 'boolean', 'array', 'object', 'date', 'url']
    """What kind of value it has"""
    sample: NotRequired[JsonValue]
    """A value as it could be"""
    required: NotRequired[bool]
    """true: an email whose data lacks it is not sent, 422 send_failed with reason render_failed"""
    used: NotRequired[Literal[False]]
    """false: declared, and neither the published content nor the subject uses it; absent from fields that are used"""
    image: NotRequired[Literal[True]]
    """true: an image block shows the picture at this address; absent from all others"""


class TemplateDataField(TypedDict):
    """One variable that a template expects in data"""

    path: str
    """Dotted, like order.total"""
    kind: Literal['string', 'number', 'boolean', 'array', 'object', 'date', 'url']
    """What kind of value it has"""
    sample: NotRequired[JsonValue]
    """A value as it could be"""
    required: NotRequired[bool]
    """true: an email whose data lacks it is not sent, 422 send_failed with reason render_failed"""


TemplateInput = TypedDict(
    'TemplateInput',
    {
        'enabled': NotRequired[bool | None],
        'defaultSubject': NotRequired[str | None],
        'from': NotRequired[Sender | None],
        'brand': NotRequired[str | None],
    },
)


TemplateColor: TypeAlias = str
"""`primary` (the brand's color), `text`, `muted` or `background` of its emails, or a color like `#1a73e8`"""


TemplateDataPath: TypeAlias = str
"""A dotted path into the variables of an email, like order.items"""


class TextBlock(TypedDict):
    """Inline Markdown: **bold**, *italic*, [links](https://example.com), line breaks; HTML is shown as text"""

    type: Literal['text']
    """The kind of block"""
    text: str
    """Liquid and inline Markdown"""
    align: NotRequired[Literal['left', 'center', 'right'] | None]
    """Where it stands"""
    color: NotRequired[TemplateColor | None]
    """Of its text"""
    background: NotRequired[TemplateColor | None]
    """Behind its text; the text is light or dark by it unless `color` says otherwise"""
    spaceAbove: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    spaceBelow: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    showIf: NotRequired[TemplateDataPath | None]
    """Shown when this path has a value: not missing, null, false or empty"""


class ButtonBlock(TypedDict):
    """A link that looks like a button"""

    type: Literal['button']
    """The kind of block"""
    label: str
    """What stands on it; Liquid"""
    url: str
    """Where it leads. Liquid is possible; only https, http and mailto."""
    align: NotRequired[Literal['left', 'center', 'right'] | None]
    """Where it stands"""
    color: NotRequired[TemplateColor | None]
    """Of its text"""
    background: NotRequired[TemplateColor | None]
    """Behind its text; the text is light or dark by it unless `color` says otherwise"""
    spaceAbove: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    spaceBelow: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    showIf: NotRequired[TemplateDataPath | None]
    """Shown when this path has a value: not missing, null, false or empty"""


class ImageBlock(TypedDict):
    """A picture"""

    type: Literal['image']
    """The kind of block"""
    src: str
    """Address of the picture. Liquid is possible; only https, http, mailto, and `cid:` with the `contentId` of an attachment."""
    alt: str
    """What the picture shows; empty for mere decoration"""
    width: NotRequired[int | None]
    """In pixels; the full width when omitted"""
    href: NotRequired[str | None]
    """Where a click leads. Liquid is possible; only https, http and mailto."""
    align: NotRequired[Literal['left', 'center', 'right'] | None]
    """Where it stands"""
    spaceAbove: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    spaceBelow: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    showIf: NotRequired[TemplateDataPath | None]
    """Shown when this path has a value: not missing, null, false or empty"""


class DividerBlock(TypedDict):
    """A line across"""

    type: Literal['divider']
    """The kind of block"""
    spaceAbove: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    spaceBelow: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    showIf: NotRequired[TemplateDataPath | None]
    """Shown when this path has a value: not missing, null, false or empty"""


class SpacerBlock(TypedDict):
    """Room between two blocks"""

    type: Literal['spacer']
    """The kind of block"""
    height: int
    """In pixels"""
    showIf: NotRequired[TemplateDataPath | None]
    """Shown when this path has a value: not missing, null, false or empty"""


class ListBlock(TypedDict):
    """Points, one below the other"""

    type: Literal['list']
    """The kind of block"""
    items: list[str]
    """Liquid and inline Markdown"""
    ordered: NotRequired[bool | None]
    """true: with numbers"""
    color: NotRequired[TemplateColor | None]
    """Of its text"""
    background: NotRequired[TemplateColor | None]
    """Behind its text; the text is light or dark by it unless `color` says otherwise"""
    spaceAbove: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    spaceBelow: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    showIf: NotRequired[TemplateDataPath | None]
    """Shown when this path has a value: not missing, null, false or empty"""


class TableColumn(TypedDict):
    """One column of a table"""

    header: str
    """What stands above the column; Liquid"""
    value: str
    """Liquid; the item is `row`"""


class QuoteBlock(TypedDict):
    """What somebody said"""

    type: Literal['quote']
    """The kind of block"""
    text: str
    """Liquid"""
    author: NotRequired[str | None]
    """Who said it; Liquid"""
    align: NotRequired[Literal['left', 'center', 'right'] | None]
    """Where it stands"""
    color: NotRequired[TemplateColor | None]
    """Of its text"""
    background: NotRequired[TemplateColor | None]
    """Behind its text; the text is light or dark by it unless `color` says otherwise"""
    spaceAbove: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    spaceBelow: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    showIf: NotRequired[TemplateDataPath | None]
    """Shown when this path has a value: not missing, null, false or empty"""


class CodeBlock(TypedDict):
    """A large one-time code"""

    type: Literal['code']
    """The kind of block"""
    text: str
    """Liquid"""
    align: NotRequired[Literal['left', 'center', 'right'] | None]
    """Where it stands"""
    spaceAbove: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    spaceBelow: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    showIf: NotRequired[TemplateDataPath | None]
    """Shown when this path has a value: not missing, null, false or empty"""


class TemplateMjml(TypedDict):
    """Content in MJML, the markup language for emails, in place of blocks"""

    mjml: str
    """A whole document, `<mjml>…</mjml>`. Liquid may stand in attributes, in texts and between tags"""


class TemplateDataFieldInput(TypedDict):
    """One variable that a template expects in data"""

    path: str
    """Dotted, like order.total"""
    kind: Literal['string', 'number', 'boolean', 'array', 'object', 'date', 'url']
    """What kind of value it has"""
    sample: NotRequired[JsonValue]
    """A value as it could be"""
    required: NotRequired[bool | None]
    """true: an email whose data lacks it is not sent, 422 send_failed with reason render_failed"""


class TemplateTextsInput(TypedDict):
    """What a template is called, and what it is for"""

    name: NotRequired[str | None]
    """For your own lists"""
    description: NotRequired[str | None]
    """What it is for"""


class TemplateSchemaInput(TypedDict):
    """What a template expects in data"""

    dataSchema: list[TemplateDataFieldInput]
    """The variables that it expects in data; 64 KB at most, samples included"""


class TemplateLanguageVersion(TypedDict):
    """A version of a language"""

    version: int
    """All languages of a template share their numbers"""
    subject: str | None
    """Liquid; empty: that of the default. null: a draft that was saved without"""
    created_at: Timestamp
    """When it was saved"""


class ListedTemplateVersion(TypedDict):
    """A version that a brand has made of the content"""

    version: int
    """One more with every version that is saved"""
    publication: int | None
    """`version` counts every save; `publication` counts what was published; the console calls it Version. null: it was never published"""
    state: Literal['draft', 'published', 'superseded', 'replaced']
    """`published`: it is what emails say; `superseded`: it was, until a later one was published; `replaced`: a draft until a later version was saved"""
    subject: str | None
    """Liquid; empty: the template's own. Of a published version the one that is set, of a superseded one the last that was set while it was published, null for those that were superseded before this was kept; of a draft null when it was saved without"""
    created_at: Timestamp
    """When it was saved"""
    key_id: str | None
    """Which key saved it; null for those that were saved before this was kept"""


class FirstTemplateVersion(TypedDict):
    """What the template came with"""

    subject: str
    """Liquid"""
    created_at: Timestamp | None
    """When it was made; null for those of the installation"""


class Contact1(TypedDict):
    """A contact that exists only in this request, when contactId is omitted: what it lacks of `contact` is not told as missing"""

    email: NotRequired[Email | None]
    """Of `recipient` too"""
    firstName: NotRequired[str | None]
    """`contact.first_name`"""
    lastName: NotRequired[str | None]
    """`contact.last_name`"""
    displayName: NotRequired[str | None]
    """`contact.display_name`"""
    timezone: NotRequired[str | None]
    """IANA name, like Europe/Berlin"""
    locale: NotRequired[str | None]
    """BCP 47, like de-CH"""
    tags: NotRequired[list[str] | None]
    """What it carries"""
    attributes: NotRequired[dict[str, JsonValue] | None]
    """Merged into what the contact has, where 100 keys and 16 KB are possible; a null value removes its key. At most 64 KB"""


class TemplateTestInput(TypedDict):
    """Where to, and with what"""

    to: Email
    """Whom to send it to"""
    data: NotRequired[dict[str, JsonValue] | None]
    """Template variables; an unknown path renders empty. At most 256 KB"""
    contactId: NotRequired[str | None]
    """Whom it is rendered for, for which the scope contacts:read is needed"""
    contact: NotRequired[Contact1 | None]
    """A contact that exists only in this request, when contactId is omitted: what it lacks of `contact` is not told as missing"""
    brand: NotRequired[str | None]
    """A brand's slug; the project's default when omitted"""
    subject: NotRequired[str | None]
    """Liquid, in place of the brand's or the template's own"""
    version: NotRequired[Literal['draft', 'published'] | None]
    """The draft by default when there is one; without it, and where there is no such version, what a send would use"""
    locale: NotRequired[str | None]
    """The language to show: its draft, else what a send in it would use. The contact's when omitted, as in a send. The query may name it instead, but not another"""


class SavedBlockInput(TypedDict):
    """What it is to be called"""

    name: str
    """For people; no two of a project are the same in another case"""


class EntireAudience(TypedDict):
    """All contacts"""

    mode: Literal['entire']
    """Who is meant"""


class SegmentAudience(TypedDict):
    """Who is in a segment when it is sent"""

    mode: Literal['segment']
    """Who is meant"""
    segmentId: str
    """Of a segment of the project"""


class TagAudience(TypedDict):
    """Who carries a tag"""

    mode: Literal['tag']
    """Who is meant"""
    tag: str
    """One that they carry"""


class PeopleAudience(TypedDict):
    """The people of a list"""

    mode: Literal['people']
    """Who is meant"""
    emails: list[Email]
    """Unknown ones become contacts"""


class LocalScheduleInput(TypedDict):
    """A time of the day that each recipient's own clock shows"""

    at: str
    """`HH:MM` by the clock of each recipient"""
    date: str
    """The day, `YYYY-MM-DD`"""
    timezone: Literal['contact']
    """`contact`: each recipient's own zone"""
    fallback: NotRequired[str | None]
    """The zone of contacts that have none; `UTC` when omitted"""
    late: NotRequired[Literal['send', 'skip'] | None]
    """Whose hour had passed when it was launched, or last changed, gets it at once (`send`, when omitted), or not at all (`skip`)"""


SendWindowInput = TypedDict(
    'SendWindowInput',
    {
        'from': str,
        'to': Literal['24:00'] | str,
        'days': NotRequired[list[int] | None],
        'timezone': Literal['contact'] | str,
        'fallback': NotRequired[str | None],
        'transactional': NotRequired[bool | None],
    },
)


class CampaignVariantInput(TypedDict):
    """One arm of a test"""

    key: str
    """1 to 32 of a-z, 0-9, _ and -"""
    subject: NotRequired[str | None]
    """Liquid; the campaign's when omitted"""
    weight: NotRequired[float | None]
    """Relative; 1 when omitted"""


class CampaignTestInput(TypedDict):
    """The variants are tried on some, and the winner goes to the rest"""

    share: int
    """Percent of the recipients whom each variant is tried on; the rest waits for the winner"""
    decideBy: Literal['opens', 'clicks', 'goal', 'hand']
    """What the winner is found by: recipients of the test who opened, who clicked, or who did what the goal says; `hand`: POST /campaigns/:id/winner alone"""
    afterHours: NotRequired[int | None]
    """Hours between the last email of the test and the decision; of `hand`: after which the default goes, where nobody has said"""
    default: NotRequired[str | None]
    """The variant that the rest gets where the test does not tell which is better; the first when omitted"""


class CampaignGoalInput(TypedDict):
    """What its recipients are to do: conversions are counted by it. Nothing is sent because of it"""

    event: str
    """The type of an event of POST /events"""
    withinHours: int
    """An event counts that comes at most so many hours after the email was sent, 1 to 720"""
    sum: NotRequired[str | None]
    """The name of a number in the event's `data`, which is added up over all of these events"""


CampaignStatus: TypeAlias = Literal['draft', 'scheduled', 'queued', 'sending', 'sent', 'cancelled', 'failed']
"""`scheduled` until its time comes, `queued` until its workflow begins, `sending`, then for good `sent` (every recipient is settled), `cancelled`, or `failed` (nothing could go: `reason` says why). `draft`: nobody has launched it"""


class CampaignPausedReason(TypedDict):
    """Why a campaign has paused by itself"""

    limit: Literal['bounceRate', 'complaintRate']
    """Which of the limits of PATCH /project it is beyond"""
    value: float
    """The share that was allowed, 0 to 1"""
    count: int
    """How many bounced, or were reported as spam"""
    mails: int
    """Of how many: since it was resumed, if it had paused by itself before"""


CampaignReason: TypeAlias = Literal['unknown_segment', 'empty_audience', 'project_suspended', 'email_unverified', 'unknown_template', 'template_not_enabled', 'no_brand', 'invalid_from', 'ends_at_reached', 'provider_unavailable', 'allowance_used', 'receiver_pace', 'send_window', 'local_time', 'cancelled', 'terminated', 'failed']
"""Why a campaign failed, ended early, or does not go on just now"""


class CampaignAllowance(TypedDict):
    """Whose allowance of the day a campaign has used"""

    of: Literal['domain', 'provider']
    """domain: the sending domain is on a ramp; provider: the mail provider has a ramp or a daily limit"""
    name: str
    """The domain, or the name of the provider"""
    resumes_at: Timestamp
    """It goes on by itself then: the next 00:00 UTC"""


class LocalSchedule(TypedDict):
    """A time of the day that each recipient's own clock shows"""

    at: str
    """`HH:MM` by the clock of each recipient"""
    date: str
    """The day"""
    timezone: Literal['contact']
    """Each recipient's own zone"""
    fallback: str
    """The zone of contacts that have none"""
    late: Literal['send', 'skip']
    """What becomes of those whose hour had passed when it was launched, or last changed"""


SendWindow = TypedDict(
    'SendWindow',
    {
        'from': str,
        'to': str,
        'days': NotRequired[list[int]],
        'timezone': str,
        'fallback': str,
        'transactional': bool,
    },
)


class CampaignVariant(TypedDict):
    """One arm of a test with its counts"""

    key: str
    """As it was given"""
    subject: str | None
    """null: the campaign's"""
    weight: float
    """Relative to the others"""
    recipients: int
    """Who was queued in this arm; 0 until the audience is resolved"""
    sent_count: int
    """The provider took their email"""
    delivered_count: int
    """As the provider reports"""
    opened_count: int
    """Recipients who opened, each once"""
    clicked_count: int
    """Recipients who clicked, each once"""
    bounced_count: int
    """As the provider reports"""
    complained_count: int
    """As the provider reports"""
    unsubscribed_count: int
    """By the link of this email"""


class CountedPeopleAudience(TypedDict):
    """The people of a list"""

    mode: Literal['people']
    """Who is meant"""
    count: int
    """How many of them matched: the `audience_size`, which stays when one of them is erased"""


CampaignDecisionReason: TypeAlias = Literal['significant', 'not_significant', 'small_sample', 'by_hand', 'not_chosen']
"""`significant`: the best variant would hardly be so far from the default, or a default that is the best from the next, if they were equal (p below 0.05, corrected for the number of comparisons): the best one won. `not_significant`: they might; the default goes. `small_sample`: fewer than 100 emails of a variant, or hardly any hits, tell nothing; the default goes. `by_hand`: somebody chose it. `not_chosen`: nobody chose in time; the default goes"""


class TriedVariant(TypedDict):
    """What a variant came to in the test"""

    key: str
    """Of the variant"""
    mails: int
    """Emails of the test that the provider took"""
    hits: int | None
    """Recipients who did what it is decided by, each once; null: it is decided by hand"""


class CampaignGoal(TypedDict):
    """What counts as a conversion"""

    event: str
    """The type of an event of POST /events"""
    withinHours: int
    """An event counts that comes at most so many hours after the email was sent, 1 to 720"""
    sum: str | None
    """null: nothing is added up"""


class CampaignDraftState(TypedDict):
    """Where a campaign stands that can be changed still"""

    version: int
    """Goes up with each change; for `ifVersion` of what changes, approves and launches it"""
    changed_at: Timestamp | None
    """When it was changed last; null: not since it was scheduled"""
    needs_approval: bool
    """It is not sent before another key than that of the last change has approved it"""
    approved_at: Timestamp | None
    """When it was approved as it is; null: it was not"""


class LeftOutCounts(TypedDict):
    """Whom it was for and who does not get it, by reason: audience_size - total_recipients + skipped + cancelled"""

    suppressed: int
    """For the reason suppressed"""
    unsubscribed: int
    """For the reason unsubscribed"""
    bounced: int
    """For the reason bounced"""
    unconfirmed: int
    """For the reason unconfirmed"""
    topic_off: int
    """For the reason topic_off"""
    late: int
    """For the reason late"""
    capped: int
    """For the reason capped"""
    erased: int
    """For the reason erased"""
    ended: int
    """For the reason ended"""
    cancelled: int
    """For the reason cancelled"""


class NamedKey(TypedDict):
    """A key of the project"""

    id: str
    """Of the key"""
    name: str | None
    """As the operator called it; null when it has no name, or is gone"""


LeftOutReason: TypeAlias = Literal['suppressed', 'unsubscribed', 'bounced', 'unconfirmed', 'topic_off', 'late', 'capped', 'erased', 'ended', 'cancelled']
"""`suppressed`, `unsubscribed` and `bounced`: they get no email of a campaign. `unconfirmed`: they have not confirmed their sign-up. `topic_off`: they do not want its topic. `erased`: the contact was deleted before their turn. `late`: the hour had passed in their time zone when it was launched. `ended`: the campaign was over before their turn, or nothing of it could go: its `reason`. `cancelled`: before their turn. `capped` is reserved"""


class PersonLeftOut(TypedDict):
    """Somebody whom a campaign was for, and who does not get it"""

    contact_id: str
    """Their contact"""
    email: str
    """Its address now"""
    reason: LeftOutReason
    suppression: NotRequired[SuppressionReason]
    """Of who was `suppressed`: why the address is on the list now; absent when it is not"""
    at: Timestamp
    """When they were left out"""


class CampaignFunnel(TypedDict):
    """Recipients, as the campaign's own counts have them at this moment"""

    matched: int
    """Whom it was for"""
    left_out: int
    """Those of them who do not get it; GET /campaigns/:id says why"""
    sent: int
    """The provider took their email"""
    delivered: int
    """As the provider reports"""
    opened: int
    """Recipients who opened, each once"""
    clicked: int
    """Recipients who clicked, each once"""
    converted: int | None
    """null: it has no goal"""
    unsubscribed: int
    """By the link of this email"""
    bounced: int
    """As the provider reports"""
    complained: int
    """As the provider reports"""


FirstHits = TypedDict(
    'FirstHits',
    {
        'from': Timestamp,
        'opened': int,
        'clicked': int,
    },
)


class LinkClicks(TypedDict):
    """One link"""

    url: str
    """Where it leads, without the tracking; without its query where one person alone has followed it"""
    clicks: int
    """Repeats included"""
    people: int
    """Recipients who followed it, each once"""


class OtherLinks(TypedDict):
    """What is not in `links`"""

    links: int
    """How many more were followed, as far as it is known"""
    clicks: int
    """On these, and by people who were erased"""


class VariantConversions(TypedDict):
    """What the recipients of one arm did"""

    people: int
    """Recipients who had such an event in time, each once"""
    events: int
    """All of these events of theirs"""
    sum: float | None
    """Of the number in all of these events; null: the goal adds nothing up"""
    not_summed: int | None
    """null: the goal adds nothing up"""


class VariantPhase(TypedDict):
    """What one arm came to in one phase"""

    recipients: int
    """Who was queued"""
    sent: int
    """The provider took their email"""
    delivered: int
    """As the provider reports"""
    opened: int
    """Recipients who opened, each once"""
    clicked: int
    """Recipients who clicked, each once"""
    unsubscribed: int
    """By the link of this email"""
    bounced: int
    """As the provider reports"""
    complained: int
    """As the provider reports"""


class VariantTried(TypedDict):
    """What a variant came to in the test"""

    key: str
    """Of the variant"""
    mails: int
    """Emails of the test that the provider took"""
    hits: int | None
    """null: it is decided by hand"""
    rate: float | None
    """null: it is decided by hand"""
    low: float | None
    """null: it is decided by hand"""
    high: float | None
    """null: it is decided by hand"""


class ReceiverResults(TypedDict):
    """What became of the emails to one domain"""

    domain: str
    """Behind the @"""
    sent: int
    """The provider took their email"""
    delivered: int
    """As the provider reports"""
    opened: int
    """Recipients who opened, each once"""
    clicked: int
    """Recipients who clicked, each once"""
    bounced: int
    """As the provider reports"""


class CampaignLanguage(TypedDict):
    """What became of emails in one language"""

    locale: str | None
    """null: the default"""
    sent: int
    """The provider took their email"""
    delivered: int
    """As the provider reports"""
    opened: int
    """Recipients who opened, each once"""
    clicked: int
    """Recipients who clicked, each once"""
    bounced: int
    """As the provider reports"""


class OtherReceivers(TypedDict):
    """The others together, and people who were erased"""

    receivers: int
    """How many more domains"""
    sent: int
    """The provider took their email"""
    delivered: int
    """As the provider reports"""
    opened: int
    """Recipients who opened, each once"""
    clicked: int
    """Recipients who clicked, each once"""
    bounced: int
    """As the provider reports"""


class CampaignConversions1(TypedDict):
    """null: it has no goal"""

    goal: CampaignGoal
    as_of: Timestamp | None
    """When they were counted; null: they are still to be"""
    complete: bool
    """False where events that may have counted were gone by then: events are kept for 90 days"""
    people: int
    """Recipients who had such an event in time, each once"""
    events: int
    """All of these events of theirs"""
    sum: float | None
    """Of the number in all of these events; null: the goal adds nothing up"""
    not_summed: int | None
    """null: the goal adds nothing up"""


CampaignConversions: TypeAlias = CampaignConversions1 | None
"""null: it has no goal"""


class CampaignWinnerInput(TypedDict):
    """What the rest gets"""

    variant: str
    """The key of a variant"""


class CampaignZone(TypedDict):
    """The recipients of one time zone"""

    timezone: str | None
    """IANA name; null: of contacts without one"""
    at: Timestamp
    """When their clocks show the time, or when their send window opens, whichever is later"""
    recipients: int
    """How many of them were found when it began"""
    remaining: int
    """How many of these are not settled yet"""
    resumes_at: Timestamp | None
    """When the rest of them goes on; null: they go now, or none is left"""


class CampaignFailures(TypedDict):
    """How many recipients have not got it for one reason"""

    reason: str
    """The first word of the `error` of their emails"""
    count: int
    """Recipients"""


RecipientFailure: TypeAlias = Literal['outcome_unknown', 'provider_rejected', 'provider_unavailable', 'render_failed', 'unknown_template', 'template_not_enabled', 'no_brand', 'invalid_from']
"""Why the email of a recipient failed: the first word of its `error`"""


RecurrenceInput = TypedDict(
    'RecurrenceInput',
    {
        'every': Literal['day', 'week', 'month'],
        'interval': NotRequired[int | None],
        'on': NotRequired[list[int] | None],
        'at': str,
        'timezone': str,
        'from': NotRequired[Timestamp | None],
        'until': NotRequired[Timestamp | None],
        'count': NotRequired[int | None],
    },
)


RecurringCampaignStatus: TypeAlias = Literal['active', 'paused', 'ended']
"""`active`, `paused` until it is resumed, or `ended` for good"""


Recurrence = TypedDict(
    'Recurrence',
    {
        'every': Literal['day', 'week', 'month'],
        'interval': int,
        'on': list[int],
        'at': str,
        'timezone': str,
        'from': Timestamp | None,
        'until': Timestamp | None,
        'count': int | None,
    },
)


RecurringRunOutcome: TypeAlias = Literal['created', 'not_created', 'missed', 'skipped']
"""`created`: its campaign was made. `not_created`: it could not be, `reason` says why. `missed`: it was not made in time. `skipped`: by POST /recurring-campaigns/:id/skip-next"""


class GivenVariant(TypedDict):
    """One arm of a test"""

    key: str
    """As it was given"""
    subject: str | None
    """null: the campaign's"""
    weight: float
    """Relative to the others"""


class RecurringCampaignTest(TypedDict):
    """How the variants of each campaign are tried"""

    share: int
    """Percent of the recipients whom each variant is tried on; the rest waits for the winner"""
    decideBy: Literal['opens', 'clicks', 'goal', 'hand']
    """What the winner is found by: recipients of the test who opened, who clicked, or who did what the goal says; `hand`: POST /campaigns/:id/winner alone"""
    afterHours: int | None
    """null: it waits for somebody"""
    default: str | None
    """null: the first variant"""


class RecurrencePreviewInput(TypedDict):
    """A rule that is looked at"""

    recurrence: RecurrenceInput
    recurringId: NotRequired[str | None]
    """Of the recurring campaign that is to be changed: `interval` counts from when that was made"""


SequenceKey: TypeAlias = str
"""Names the sequence; unique in the project"""


class SequenceStep(TypedDict):
    """One email, and how long to wait before it"""

    template: str
    """The key of a template"""
    subject: NotRequired[str | None]
    """Liquid; the template's when omitted"""
    type: NotRequired[SendType | None]
    """The template's own when omitted"""
    topic: NotRequired[str | None]
    """The key of the topic that a marketing email is of: it goes to those alone who have it on, and its unsubscribe link leaves the topic"""
    delayMinutes: NotRequired[float | None]
    """How long to wait before this email; fractions are allowed"""


SequenceStatus: TypeAlias = Literal['draft', 'active', 'paused', 'archived']
"""Only `active` enrolls and sends; `draft` and `paused` hold running enrollments before their next send, `archived` ends them"""


class EnteredSegment(TypedDict):
    """Whoever becomes a member of this segment"""

    segment: str
    """The segment's label, without regard to case"""


class EnteredDate(TypedDict):
    """Each contact by a date of its own, like its birthday"""

    attribute: NotRequired[str | None]
    """The contact's attribute that is the date: `YYYY-MM-DD`, or a time like conditions take it"""
    field: NotRequired[Literal['created_at'] | None]
    """In place of an attribute: the day on which the contact was added, with `every` from the next year on"""
    every: NotRequired[Literal['year'] | None]
    """On that day of each year from the date on; once when omitted"""
    daysBefore: NotRequired[int | None]
    """So many days before that day"""
    daysAfter: NotRequired[int | None]
    """So many days after that day"""
    at: str
    """The local time"""
    timezone: NotRequired[Literal['contact'] | str | None]
    """IANA name, or `contact` for the contact's own"""
    fallback: NotRequired[str | None]
    """Where the contact has none; UTC when omitted"""


class FrequencyCap(TypedDict):
    """Ceiling on marketing emails of the project to one contact in a sliding window"""

    count: int
    """So many emails"""
    windowHours: float
    """In so many hours"""


class Enrollments(TypedDict):
    """How many there are, sandboxed ones among them"""

    active: int
    """On their way"""
    completed: int
    """At an end of the flow"""
    cancelled: int
    """Ended before"""


class SequenceSummary(TypedDict):
    """A sequence without its graph"""

    id: str
    """The `source_id` of its emails in the send log"""
    key: str
    """Unique in the project"""
    name: str
    """For your own lists"""
    status: SequenceStatus
    version: int
    """Of the graph: 1 at first, one more with every PUT"""
    trigger: str | None
    """The type of the event that enrolls; null: none"""
    created_at: Timestamp
    """When it was made"""
    enrollments: Enrollments
    """How many there are, sandboxed ones among them"""
    failed_steps: int
    """Steps of all its enrollments that failed, like emails that could not be sent"""


ReentryPolicy: TypeAlias = Literal['once_ever', 'once_active', 'always']
"""How often a contact may go through: `once_ever`, `once_active` (one enrollment at a time) or `always`"""


class FieldCondition(TypedDict):
    """One field of the contact, its attributes or the event, compared with a value"""

    field: str
    """contact.<field>, contact.topics.<key>, attributes.<path> or event.<path>: what it is about"""
    op: Literal['eq', 'ne', 'in', 'not_in', 'contains', 'not_contains', 'starts_with', 'gt', 'gte', 'lt', 'lte', 'exists', 'not_exists']
    """How the value is compared; exists and not_exists take none"""
    value: NotRequired[str | float | bool | list[str | float | bool] | None]
    """What it is compared with; a list for in and not_in"""


class SegmentCondition(TypedDict):
    """Whether the contact is in a segment"""

    segment: str
    """The label of a segment that the contact is in"""


class Event(TypedDict):
    """An event that happened to the contact"""

    type: str
    """The type of the event, exactly"""
    withinHours: NotRequired[float | None]
    """In the last so many hours; at any time when omitted"""
    atLeast: NotRequired[int | None]
    """So often; 1 when omitted"""


class EventCondition(TypedDict):
    """Whether an event happened to the contact"""

    event: Event
    """An event that happened to the contact"""


class Email1(TypedDict):
    """What became of the contact's emails"""

    template: NotRequired[str | None]
    """The key of its template; any when omitted"""
    event: Literal['sent', 'delivered', 'opened', 'clicked', 'bounced']
    """What happened to the mail"""
    withinHours: NotRequired[float | None]
    """In the last so many hours; at any time when omitted"""


class EmailCondition(TypedDict):
    """Whether an email to the contact got so far"""

    email: Email1
    """What became of the contact's emails"""


class SegmentTrigger(TypedDict):
    """Each contact is enrolled each time that it becomes a member of the segment while the sequence is active; who is a member when it is turned on is not"""

    kind: Literal['segment']
    """Becoming a member of a segment enrolls"""
    config: EnteredSegment
    enabled: NotRequired[bool]
    """false: it enrolls nobody"""


class DateTrigger(TypedDict):
    """Each contact is enrolled once for each date, at the local time, while the sequence is active"""

    kind: Literal['date']
    """A date of the contact enrolls"""
    config: EnteredDate
    enabled: NotRequired[bool]
    """false: it enrolls nobody"""


class TriggerNode(TypedDict):
    """Where a run begins: one in each graph"""

    id: str
    """Unique in the graph"""
    kind: Literal['trigger']
    """What the node does"""
    label: NotRequired[str]
    """What your lists call it, where what it does says too little"""
    config: NotRequired[Any]
    """This kind has none"""


class SendEmailConfig(TypedDict):
    """Which email"""

    template: str
    """The key of a template"""
    subject: NotRequired[str]
    """Liquid; overrides the template's subject"""
    type: NotRequired[Literal['transactional', 'marketing']]
    """The template's own when omitted"""
    brand: NotRequired[str]
    """A brand's slug; the contact's when omitted"""
    topic: NotRequired[str]
    """The key of a topic: the email goes to those alone who have it on; the others pass by"""
    data: NotRequired[dict[str, JsonValue]]
    """Template variables, shown as they are: no Liquid"""


class WaitDelayConfig(TypedDict):
    """How long"""

    minutes: float
    """In minutes; fractions are allowed"""


class TimeOfWait(TypedDict):
    """The next local time that is like this"""

    at: NotRequired[str]
    """The local time; 00:00 when omitted"""
    weekdays: NotRequired[list[int]]
    """From 1 (Monday) to 7; any day when omitted"""
    date: NotRequired[str]
    """Before 2200"""
    timezone: NotRequired[Literal['contact'] | str | None]
    """IANA name, or `contact` for the contact's own"""
    fallback: NotRequired[str | None]
    """Where the contact has none; UTC when omitted"""


class DigestConfig1(TypedDict):
    """How long events gather, and which together; `digest.events` has the latest 100 of them, `digest.count` how many there are"""

    key: NotRequired[str]
    """A path into the data of the event: events with the same text, number or boolean there gather together, those without one by themselves; all of them when omitted"""
    max: NotRequired[int]
    """The run goes on as soon as so many have gathered"""
    windowMinutes: float
    """For so long events gather, from the moment on at which the run comes here; fractions are allowed"""


class DigestConfig2(TypedDict):
    """How long events gather, and which together; `digest.events` has the latest 100 of them, `digest.count` how many there are"""

    key: NotRequired[str]
    """A path into the data of the event: events with the same text, number or boolean there gather together, those without one by themselves; all of them when omitted"""
    max: NotRequired[int]
    """The run goes on as soon as so many have gathered"""
    until: TimeOfWait
    """Events gather until the next local time that is like this"""


DigestConfig: TypeAlias = DigestConfig1 | DigestConfig2
"""How long events gather, and which together; `digest.events` has the latest 100 of them, `digest.count` how many there are"""


class ThrottleConfig(TypedDict):
    """How many runs of a contact pass in which time"""

    count: int
    """So many runs of a contact pass within the window"""
    window: float
    """In minutes, sliding; fractions are allowed"""
    otherwise: Literal['drop', 'delay']
    """`drop`: the others go on by the edge `dropped`, and end where there is none; `delay`: they wait until they may pass"""


class Arm(TypedDict):
    key: str
    """The `branchKey` of the edge for it"""
    weight: NotRequired[float]
    """Relative; 1 when omitted"""


class SplitConfig(TypedDict):
    """Arms of a test"""

    arms: list[Arm]
    """Each key once"""


class Set(TypedDict):
    """Fields to write"""

    firstName: NotRequired[str | None]
    """null clears"""
    lastName: NotRequired[str | None]
    """null clears"""
    displayName: NotRequired[str | None]
    """null clears"""
    timezone: NotRequired[str | None]
    """IANA name, like Europe/Berlin; null clears"""
    locale: NotRequired[str | None]
    """BCP 47, like de-CH; null clears"""
    attributes: NotRequired[dict[str, JsonValue]]
    """Merged into what the contact has; null removes a key"""


class UpdateContactConfig(TypedDict):
    """Texts are Liquid"""

    set: NotRequired[Set]
    """Fields to write"""
    addTags: NotRequired[list[str]]
    """Tags to add"""
    removeTags: NotRequired[list[str]]
    """Tags to take away"""
    status: NotRequired[Literal['unsubscribed']]
    """Unsubscribes the contact"""


class WebhookNodeConfig(TypedDict):
    """The call"""

    url: str
    """https; Liquid behind the host. The address must be public"""
    method: NotRequired[Literal['POST', 'PUT', 'PATCH', 'GET']]
    """POST when omitted"""
    headers: NotRequired[dict[str, str]]
    """Further headers; their values are Liquid"""
    body: NotRequired[JsonValue]
    """A JSON value whose texts are Liquid, at most 1 MB once they are rendered; contact, event and enrollment when omitted"""
    timeoutSeconds: NotRequired[float]
    """For one try; 15 when omitted"""
    onError: NotRequired[Literal['continue', 'fail']]
    """When the last try failed: `continue` (when omitted) goes on, `fail` ends the enrollment"""


class SubflowConfig(TypedDict):
    """Which sequence"""

    sequenceKey: str
    """The key of the other sequence"""
    mode: NotRequired[Literal['enroll', 'wait']]
    """`wait` goes on when the other run has ended; `enroll` (when omitted) at once"""


class ExitNode(TypedDict):
    """Ends the run"""

    id: str
    """Unique in the graph"""
    kind: Literal['exit']
    """What the node does"""
    label: NotRequired[str]
    """What your lists call it, where what it does says too little"""
    config: NotRequired[Any]
    """This kind has none"""


SequenceEdge = TypedDict(
    'SequenceEdge',
    {
        'from': str,
        'to': str,
        'branchKey': NotRequired[str | None],
    },
)


class Version(TypedDict):
    version: int
    """The version that they go through"""
    people: int
    """Runs under way that stand there"""


class ChangedStep(TypedDict):
    """A step that a new graph removes or changes while people stand there"""

    nodeId: str
    """Of the step, in the graph that there was"""
    change: Literal['removed', 'changed']
    """`changed`: it is of another kind, or has another config"""
    people: int
    """Runs under way that stand there"""
    versions: list[Version]
    """The same by version, the latest first"""


HoldReason: TypeAlias = Literal['paused', 'project_suspended', 'email_unverified', 'send_window', 'frequency_cap', 'provider_unavailable', 'too_many_steps']
"""Why a step of a run may not be done now"""


MailLeftOutReason: TypeAlias = Literal['suppressed', 'unsubscribed', 'bounced', 'unconfirmed', 'topic_off', 'erased', 'frequency_cap', 'other']
"""Why a run went on without an email: its contact was suppressed, had unsubscribed, had bounced or was deleted; `frequency_cap`: the cap left no room for as long as it waits; `other`: the `detail` of the step says it in words"""


class RunFilter(TypedDict):
    """Which runs: whatever is given has to hold. `{}`: all of them"""

    status: NotRequired[EnrollmentStatus | None]
    """Only those that are under way, came to an end of the flow, or were ended before"""
    nodeId: NotRequired[str | None]
    """Only those that stand at the node with this id, or have ended there"""
    waitingFor: NotRequired[Wait | str | None]
    """Only those that wait for this"""
    failedSteps: NotRequired[Literal['some'] | None]
    """`some`: only those of which a step failed; all when omitted"""
    held: NotRequired[Literal['some'] | HoldReason | None]
    """Only those that are held for this reason, or for any (`some`); all when omitted"""
    version: NotRequired[int | None]
    """Only those that go through this version of the graph; all when omitted"""
    leftOut: NotRequired[Literal['some'] | MailLeftOutReason | None]
    """Only those that went on without an email for this reason, or for any (`some`). Of the 10,000 runs that started last, as GET /sequences/:key/flow counts them"""
    leftOutAt: NotRequired[str | None]
    """Only those that went on without the email of the node with this id; likewise"""
    contactIds: NotRequired[list[str] | None]
    """Only those of these contacts"""


class SequenceChange(TypedDict):
    """What is omitted stays as it is"""

    name: NotRequired[str | None]
    """For your own lists; no recipient sees it"""
    status: NotRequired[SequenceStatus | None]
    """Of an archived one only draft"""


class Next(TypedDict):
    """null: nobody until then"""

    at: Timestamp
    """When the first of them enter"""
    count: int
    """How many do then, likewise"""


class UpcomingEntries(TypedDict):
    """Who is about to enter by one date"""

    config: EnteredDate
    planned: int
    """How many contacts are to enter as far as it is planned, counted to 10,000"""
    next: Next | None
    """null: nobody until then"""
    lookAt: Timestamp | None
    """When the dates of all contacts are looked at again; null: now"""


class SequenceVersion(TypedDict):
    """A graph that a sequence has or had"""

    version: int
    """For GET /sequences/:key?version=…"""
    nodes: int
    """How many its graph has"""
    created_at: Timestamp
    """When it was put"""
    active: int
    """Runs that are under way by it: they stay on it when another is put"""


class MailLeftOutCounts(TypedDict):
    """How many runs went on without an email, each once for each reason"""

    suppressed: int
    """For `suppressed`"""
    unsubscribed: int
    """For `unsubscribed`"""
    bounced: int
    """For `bounced`"""
    unconfirmed: int
    """For `unconfirmed`"""
    topic_off: int
    """For `topic_off`"""
    erased: int
    """For `erased`"""
    frequency_cap: int
    """For `frequency_cap`"""
    other: int
    """For `other`"""


class MailFlow(TypedDict):
    """What became of the emails of one node, each counted once"""

    sent: int
    """Emails that the provider accepted"""
    delivered: int
    """Of which it reported so"""
    opened: int
    """At least once, by whom no machine is known to be"""
    clicked: int
    """At least one link, likewise"""
    unsubscribed: int
    """Whose reader left by a link in it, within the last 90 days"""


class ArmFlow(TypedDict):
    """What an arm came to"""

    runs: int
    """Runs that took it, each once however often it did"""
    reached: int
    """Those of them that came to what `reachedBy` says; the share of both is the conversion"""
    active: int
    """Those of them that are under way and may come to it still: while there are any, the share can rise"""


class SequenceStarter(TypedDict):
    """A sequence that is ready to be taken over"""

    key: str
    """Names it among the starters"""
    name: str
    """For people"""
    description: str
    """What it does"""
    mails: int
    """How many of its steps send one"""


class GatheredEvent(TypedDict):
    """An event as a digest shows it"""

    type: str
    """As it was posted"""
    data: dict[str, Any]
    """Its data"""
    at: str
    """When it came"""


class Contact3(TypedDict):
    """A contact that exists only in this request; it counts as id `simulated`"""

    status: NotRequired[Literal['subscribed', 'unsubscribed', 'pending', 'bounced'] | None]
    """subscribed when omitted"""
    source: NotRequired[str | None]
    """Where the contact comes from; your own word"""
    timezone: NotRequired[str | None]
    """IANA name, like Europe/Berlin"""
    tags: NotRequired[list[str] | None]
    """What it carries"""
    attributes: NotRequired[dict[str, JsonValue] | None]
    """Merged into what the contact has, where 100 keys and 16 KB are possible; a null value removes its key. At most 64 KB"""
    topics: NotRequired[dict[str, bool] | None]
    """Topics, true or false by key"""


class Event1(TypedDict):
    """The event that enrolls, and comes again at the first wait; with `events` it comes once"""

    type: str
    """What happened; your own word, matched exactly"""
    payload: NotRequired[dict[str, JsonValue] | None]
    """Payload, for templates and branch conditions. At most 256 KB"""


class SimulatedEvent(TypedDict):
    """An event that comes in the time of the simulation"""

    type: str
    """What happened; your own word, matched exactly"""
    data: NotRequired[dict[str, JsonValue] | None]
    """Payload, for templates and branch conditions. At most 256 KB"""
    afterMinutes: NotRequired[float | None]
    """So long after the simulation begins; at once when neither this nor at is given"""
    at: NotRequired[Timestamp | None]
    """In place of afterMinutes, not beside it; what is over comes at once"""


EnrollRefusal: TypeAlias = Literal['sequence_not_active', 'contact_unsubscribed', 'already_enrolled', 'already_completed', 'cooldown']
"""Why a contact cannot be enrolled now"""


class BulkEnrollmentInput(TypedDict):
    """Of which segment"""

    segmentId: str
    """The segment's id"""


class BulkEnrollment(TypedDict):
    """The enrollment of all members of a segment"""

    id: str
    """Stays the same for good"""
    sequence_key: str
    """The key of its sequence"""
    segment: str
    """The label of the segment when it was asked for"""
    status: Literal['running', 'completed', 'cancelled']
    """`cancelled`: by DELETE, by an operator, or since the sequence was archived"""
    total: int
    """In the segment when it was asked for"""
    enrolled: int
    """New enrollments so far"""
    skipped: int
    """Refused so far"""
    reasons: dict[str, int]
    """How many were skipped for each reason"""
    created_at: Timestamp
    """When it was made"""
    ended_at: Timestamp | None
    """null: it runs"""
    workflow_id: str
    """The workflow id in Temporal"""


RunAction: TypeAlias = Literal['move', 'cancel', 'resume', 'retry']
"""`move`: they go on at the node `to` of the current version, as if they had just got there; `cancel`: they end, as by DELETE /enrollments/:id; `resume`: those that are held look at once whether they may go on; `retry`: a step that is tried again is tried at once, and those that ended since a step failed go on at that step"""


class EnrollInput(TypedDict):
    """Who"""

    email: NotRequired[Email | None]
    """Of a contact of the project; required unless contactId is given"""
    contactId: NotRequired[str | None]
    """Takes precedence over email"""


class BulkEnrollInput(TypedDict):
    """Who"""

    contactIds: NotRequired[list[str] | None]
    """Take precedence over emails"""
    emails: NotRequired[list[str] | None]
    """Of contacts of the project; required unless contactIds is given"""


SkippedReasons: TypeAlias = dict[str, int]
"""How many were skipped for each reason, which together are `skipped`"""


class ListedEnrollment(TypedDict):
    """One contact's run through one sequence, with whose it is"""

    id: str
    """The `enrollmentId` that POST enroll answered"""
    sequence_key: str
    """The key of its sequence"""
    sequence_version: int
    """The version of the graph that it goes through"""
    contact_id: str
    """Who goes through"""
    status: EnrollmentStatus
    current_node_id: str | None
    """Where it stands; null once it has ended"""
    waiting_for: Wait | str | None
    """delay, event:<type>, condition, time, subflow, webhook, held:<why>, or null"""
    wakes_at: Timestamp | None
    """When the wait is over at the latest; null: it does not wait for an instant"""
    started_at: Timestamp
    """When the contact entered"""
    ended_at: Timestamp | None
    """null while it is active"""
    end_reason: EndReason | None
    """exit, goal, dead_end or hop_guard of a completed one; cancelled, exit_sequences, archived, terminated or failed of a cancelled one"""
    failed_steps: int
    """How many of its steps failed, like emails that could not be sent; `steps` says why"""
    sandboxed: bool
    """A test key asked for it: none of its emails leaves"""
    workflow_id: str
    """The workflow id in Temporal"""
    contact_email: str | None
    """The contact's address; null for a key without the scope contacts:read"""


class EventInput(TypedDict):
    """What happened, and to whom"""

    type: str
    """What happened; your own word, matched exactly"""
    email: NotRequired[Email | None]
    """Required unless contactId is given; an unknown one becomes a contact"""
    contactId: NotRequired[str | None]
    """Takes precedence over email"""
    data: NotRequired[dict[str, JsonValue] | None]
    """Payload, for templates and branch conditions. At most 256 KB"""
    exitSequences: NotRequired[list[str] | None]
    """Keys of sequences; one that nobody has is ignored"""


class Suppression(TypedDict):
    """An address that gets no email at all"""

    email: str
    """The address"""
    reason: SuppressionReason
    created_at: Timestamp
    """Since when"""
    contact_id: str | None
    """The contact that has the address; null: there is none"""


class SuppressionInput(TypedDict):
    """Which address, and why"""

    email: Email
    reason: NotRequired[SuppressionReason | None]
    """manual when omitted"""


WebhookEventType: TypeAlias = Literal['contact.subscribed', 'contact.unsubscribed', 'contact.topics_changed', 'contact.confirmed', 'email.sent', 'email.delivered', 'email.opened', 'email.clicked', 'email.bounced', 'email.complained', 'sequence.completed', 'campaign.completed', 'domain.verified', 'domain.failing']
"""What an endpoint can be told of"""


class WebhookListener(TypedDict):
    """Somebody who fetches events for a while"""

    id: str
    """Stays the same while it is there"""
    events: list[WebhookEventType] | None
    """null: all"""
    created_at: Timestamp
    """When it was made"""


class ListenerAnswer(TypedDict):
    """What a receiver of yours answered to an event"""

    id: str
    """The `id` of the delivery"""
    status: int | None
    """What was answered; null: nothing was"""
    error: NotRequired[str | None]
    """Why nothing was"""
    milliseconds: NotRequired[int | None]
    """How long it took"""


class ListenerDelivery(TypedDict):
    """One event, as it would be sent to an endpoint"""

    id: str
    """What `webhook-id` says"""
    event_type: str
    """What happened"""
    headers: dict[str, str]
    """As they would be sent, signed now"""
    body: str
    """Exactly as it would be sent, which the signature is over"""


class WebhookPayload(TypedDict):
    """The body as it is sent, the same at every attempt"""

    id: str
    """Of the event: the same for all endpoints"""
    type: str
    """What happened"""
    timestamp: str
    """When it happened"""
    data: dict[str, JsonValue]
    """The record that it happened to"""


WebhookDeliveryStatus: TypeAlias = Literal['pending', 'delivered', 'failed']
"""`delivered`: the endpoint answered 2xx; `failed`: no attempt is left"""


class WebhookAttempt(TypedDict):
    """One call of the endpoint"""

    series: int
    """A retry by hand begins another"""
    number: int
    """Within its series, from 1 on"""
    at: str
    """When it began"""
    status: int | None
    """null: there was no answer"""
    error: str | None
    """Why there was no answer; null when there was one"""
    milliseconds: int | None
    """null: not known"""


class WebhookEndpoint(TypedDict):
    """An address of yours that is told of what happens"""

    id: str
    """Stays the same for good"""
    url: str
    """Where events go"""
    events: list[WebhookEventType] | None
    """null: all"""
    enabled: bool
    """false: nothing is written for it or sent to it"""
    keep_answers: NotRequired[Literal[True]]
    """Bodies of its answers are kept; omitted where they are not"""
    created_at: Timestamp
    """When it was made"""


class WebhookInput(TypedDict):
    """Where events go, and which"""

    url: str
    """https, without a user name or password. A literal address must be public; a name is looked up at every call, and then each of its addresses must be. Redirects are not followed."""
    events: NotRequired[list[WebhookEventType] | None]
    """null or empty: all of them, those of later versions too"""
    secret: NotRequired[str | None]
    """Your own signing secret: whsec_ and the base64 of 24 to 64 bytes, or any text of 16 to 128 characters. Of another text than whsec_… the UTF-8 bytes are the key: libraries of Standard Webhooks take it as raw (`new Webhook(secret, { format: "raw" })`). Made when omitted"""
    keepAnswers: NotRequired[bool | None]
    """true: the first 2 KB of the body of each answer are kept with its delivery, and of answers of 2xx the headers too. A receiver may repeat what it was sent: an erased contact takes such answers along"""


class WebhookChange(TypedDict):
    """What is omitted stays as it is"""

    url: NotRequired[str | None]
    """https, without a user name or password. A literal address must be public; a name is looked up at every call, and then each of its addresses must be. Redirects are not followed."""
    events: NotRequired[list[WebhookEventType] | None]
    """null or empty: all of them, those of later versions too"""
    enabled: NotRequired[bool | None]
    """false holds what is pending and writes nothing new"""
    keepAnswers: NotRequired[bool | None]
    """true: the first 2 KB of the body of each answer are kept with its delivery, and of answers of 2xx the headers too. A receiver may repeat what it was sent: an erased contact takes such answers along"""


class WebhookRotation(TypedDict):
    """How the old secret ends"""

    overlapHours: NotRequired[float | None]
    """For so long the old secret signs, too; 0 when omitted, fractions are possible"""


class WebhookTrial(TypedDict):
    """An event that is tried out; a bare ping without both"""

    type: NotRequired[Literal['webhook.ping', 'contact.subscribed', 'contact.unsubscribed', 'contact.topics_changed', 'contact.confirmed', 'email.sent', 'email.delivered', 'email.opened', 'email.clicked', 'email.bounced', 'email.complained', 'sequence.completed', 'campaign.completed', 'domain.verified', 'domain.failing'] | None]
    """`webhook.ping` when omitted"""
    data: NotRequired[dict[str, JsonValue] | None]
    """The `data` of the event, as the receiver is to see it. At most 64 KB"""


class WebhookAnswer(TypedDict):
    """What the receiver answered beside its status"""

    headers: dict[str, str]
    """Those that tell what kind of answer it is, who gave it, and how to find it in the logs of the receiver; none that carries secrets"""
    body: str | None
    """At most the first 2 KB, as UTF-8: other bytes are U+FFFD, control characters the pictures of them. null: not kept, since the endpoint has no `keep_answers`"""
    body_cut: bool
    """The body went on"""


class WebhookDelivery(TypedDict):
    """One event on its way to one endpoint"""

    id: str
    """What `webhook-id` says"""
    event_type: str
    """What happened"""
    payload: WebhookPayload
    status: WebhookDeliveryStatus
    attempts: int
    """Of the present series, at most 6"""
    response_status: int | None
    """Of the last attempt; null when that had no answer"""
    next_attempt_at: Timestamp
    """The planned instant; once settled, that of the last attempt"""
    created_at: Timestamp
    """When it was made"""
    attempt_log: list[WebhookAttempt]
    """Every attempt that has ended, of all series, the oldest first; the latest 120"""
    workflow_id: str | None
    """The workflow id in Temporal: its own, or while its first attempt waits among many that of its endpoint, which makes them; of one refused there it begins with the second. null: it was settled with its first attempt, so it may have had none of its own"""


class WebhookAnsweredAttempt(TypedDict):
    """One call of the endpoint, with what it answered"""

    series: int
    """A retry by hand begins another"""
    number: int
    """Within its series, from 1 on"""
    at: str
    """When it began"""
    status: int | None
    """null: there was no answer"""
    error: str | None
    """Why there was no answer; null when there was one"""
    milliseconds: int | None
    """null: not known"""
    response: WebhookAnswer | None
    """null: there was none, or nothing of it is kept"""


WebhookAttemptOutcome: TypeAlias = Literal['due', 'under_way', 'held', 'settled']
"""`due`: the attempt is made as soon as the endpoint has a place for it. Nothing changed for the others. `under_way`: an attempt is being made just now, or the first is in line; `held`: the endpoint is disabled; `settled`: nothing is left to be attempted"""


WebhookRetryInput = TypedDict(
    'WebhookRetryInput',
    {
        'eventType': NotRequired[str | None],
        'from': NotRequired[Timestamp | None],
        'to': NotRequired[Timestamp | None],
    },
)


WebhookRetry = TypedDict(
    'WebhookRetry',
    {
        'id': str,
        'status': Literal['running', 'completed', 'cancelled'],
        'event_type': str | None,
        'from': Timestamp | None,
        'to': Timestamp | None,
        'total': int,
        'retried': int,
        'delivered': int | None,
        'failed_again': int | None,
        'created_at': Timestamp,
        'ended_at': Timestamp | None,
        'workflow_id': str,
    },
)


class CampaignLimits(TypedDict):
    """Beyond which shares, 0 to 1, a campaign pauses by itself (PATCH /project)"""

    bounce_rate: float | None
    """Of emails that bounced; null: none"""
    complaint_rate: float | None
    """Of emails that were reported as spam; null: none"""


class ApiKey(TypedDict):
    """A key of the project, without what would let anybody in"""

    id: str
    """Stays the same for good"""
    public_id: str
    """The part of the key that may be shown: `ep_live_<public_id>_…`, of a test key `ep_test_<public_id>_…`"""
    name: str | None
    """As whoever made it called it; null when it has no name"""
    scopes: list[Literal['contacts:read', 'contacts:write', 'segments:read', 'send', 'sends:read', 'templates:read', 'templates:write', 'sequences:read', 'sequences:write', 'campaigns:read', 'campaigns:write', 'suppressions:read', 'suppressions:write', 'webhooks:read', 'webhooks:write', 'keys:read', 'keys:write', 'brands:write', 'domains:write', 'topics:write', '*']]
    """What the key may do; `*` is everything"""
    is_test: bool
    """Whether it is a test key: no email that it asks for leaves"""
    made_by: str | None
    """The id of the key that made it; null: an operator did"""
    created_at: Timestamp
    """When it was made"""
    last_used_at: Timestamp | None
    """To the minute; null: never used"""
    revoked_at: Timestamp | None
    """From when on it does not work; null while it does"""


class Brand(TypedDict):
    """Whom email is from"""

    slug: str
    """What `brand` takes and `brand_id` shows"""
    name: str
    """As recipients see it"""
    from_email: str | None
    """The sender; null: this brand cannot send"""
    from_name: str | None
    """The sender's name; null: the brand's"""
    reply_to: str | None
    """Where answers go; null: to the sender"""
    is_default: bool
    """Taken where no brand is named"""
    is_verified: bool
    """Whether the sender's domain is verified for this project"""


class CampaignLimitsInput1(TypedDict):
    """Beyond which shares campaigns pause by themselves; null: none"""

    bounceRate: NotRequired[float | None]
    """The share of the emails of a campaign that may bounce, or be refused at the submission, more than 0 and at most 1; null: no such limit; omitted: as it was"""
    complaintRate: NotRequired[float | None]
    """The share of the emails of a campaign that may be reported as spam, more than 0 and at most 1; null: no such limit; omitted: as it was"""


CampaignLimitsInput: TypeAlias = CampaignLimitsInput1 | None
"""Beyond which shares campaigns pause by themselves; null: none"""


class ApiKeyInput(TypedDict):
    """A key to make"""

    name: NotRequired[str | None]
    """For people: whose it is, or of which program"""
    scopes: list[Literal['contacts:read', 'contacts:write', 'segments:read', 'send', 'sends:read', 'templates:read', 'templates:write', 'sequences:read', 'sequences:write', 'campaigns:read', 'campaigns:write', 'suppressions:read', 'suppressions:write', 'webhooks:read', 'webhooks:write', 'keys:read', 'keys:write', 'brands:write', 'domains:write', 'topics:write', '*']]
    """What it may do, and no more than the key that makes it"""
    isTest: NotRequired[bool | None]
    """Whether it is a test key; as the key that makes it when omitted"""


class BrandSettings(TypedDict):
    """A brand with all that its emails show of it"""

    slug: str
    """What `brand` takes and `brand_id` shows"""
    name: str
    """As recipients see it"""
    from_email: str | None
    """The sender; null: this brand cannot send"""
    from_name: str | None
    """The sender's name; null: the brand's"""
    reply_to: str | None
    """Where answers go; null: to the sender"""
    is_default: bool
    """Taken where no brand is named"""
    is_verified: bool
    """Whether the sender's domain is verified for this project"""
    logo_url: str | None
    """Shown at the top of its emails; null: its name is"""
    color: str | None
    """Of buttons, like `#1a73e8`; null: the usual one"""
    website: str | None
    """Where its logo or name leads"""
    address: str | None
    """The postal address at the end of its marketing emails"""
    track_transactional: bool
    """Whether opens and clicks of its transactional emails count, too"""
    double_opt_in: bool
    """Whether who signs up without a status is `pending`, and asked to confirm by an email"""
    confirm_template: str | None
    """The template of that email; null: `confirm-subscription`"""
    confirm_reminders: list[int]
    """When who has not confirmed is reminded: hours after the first email"""
    confirm_prune_days: int | None
    """After how many days who has not confirmed is erased, unless they have done something else; null: never"""


BrandInput = TypedDict(
    'BrandInput',
    {
        'name': NotRequired[str | None],
        'from': NotRequired[Sender | None],
        'replyTo': NotRequired[Email | None],
        'logoUrl': NotRequired[str | None],
        'color': NotRequired[str | None],
        'website': NotRequired[str | None],
        'address': NotRequired[str | None],
        'trackTransactional': NotRequired[bool | None],
        'doubleOptIn': NotRequired[bool | None],
        'confirmTemplate': NotRequired[str | None],
        'confirmReminders': NotRequired[list[int] | None],
        'confirmPruneDays': NotRequired[int | None],
        'isDefault': NotRequired[Literal[True] | None],
    },
)


class DomainRamp(TypedDict):
    """How far a domain is on its daily ramp"""

    steps: list[float]
    """Emails of campaigns on its first day with email, on its second, and so on"""
    day: int
    """Which of its days today is: one more than the days before on which email went from it"""
    allowance: int | None
    """Of today; null: it has been through its steps, and there is no limit"""
    used: int
    """Emails of today, of campaigns and others. Processes take some in advance, at most 1 % of the allowance each time, and give back within seconds what they did not need"""
    resets_at: Timestamp
    """When its next day begins: 00:00 UTC"""


class DomainRampInput(TypedDict):
    """How many emails of campaigns may go from a domain a day, as receivers come to know it"""

    steps: NotRequired[list[int]]
    """Emails of its first day with email, of its second, and so on; after the last there is no limit. Doubled from 50 on when omitted"""


class DomainRecord(TypedDict):
    """A DNS record to set for a sending domain, and what was found of it"""

    purpose: Literal['ownership', 'dkim', 'spf', 'dmarc', 'return_path', 'tracking']
    """ownership: the domain is yours; dkim: a key for its mail; spf: who may send for it; dmarc: what receivers do with fakes; tracking: a host of the domain for the links in its mail"""
    type: Literal['TXT', 'CNAME']
    """The type of the record"""
    name: str
    """The whole name; many hosts of DNS want it without the domain at the end"""
    value: str
    """What to set, in one piece: a host of DNS splits it after 255 characters by itself"""
    required: bool
    """Whether the domain is verified only with it"""
    action: Literal['set', 'keep', 'remove']
    """set: it is to stand there; keep: its key signs no more, but mail is under way that it has signed, so leave it until `keep_until`; remove: nobody needs it any more, and it can be taken away"""
    keep_until: Timestamp | None
    """Until when a record with `action` keep is to stand; null of others"""
    algorithm: Literal['rsa', 'ed25519'] | None
    """Of the key of a `dkim` record; null of others"""
    signs: bool | None
    """Whether mail is signed by the key of a `dkim` record now; null of others"""
    state: Literal['unchecked', 'found', 'missing', 'wrong']
    """What the last answer of DNS had. wrong: something else stands there"""
    found: list[str]
    """What stood there"""
    problem: str | None
    """For people: what is wrong and what to do; null when nothing is"""
    unavailable: str | None
    """Why DNS gave no answer the last time, so that the rest is what it said before; null when it did"""
    checked_at: Timestamp | None
    """When DNS answered last; null: never"""


class SendingDomainChange(TypedDict):
    """What to change of a sending domain"""

    ed25519: NotRequired[bool | None]
    """Whether its mail is signed by Ed25519 beside RSA; kept when omitted"""
    ramp: NotRequired[DomainRampInput | None]
    """Its daily ramp; null: none. Kept when omitted"""


SendCounts = TypedDict(
    'SendCounts',
    {
        'sent': int,
        'failed': int,
        'delivered': int,
        'bounced': int,
        'complained': int,
        'opened': int,
        'clicked': int,
        'from': Timestamp,
    },
)


class SendTotals(TypedDict):
    """Of the whole period"""

    sent: int
    """Accepted by the provider"""
    failed: int
    """Not accepted, or never submitted"""
    delivered: int
    """Of those sent: reported as delivered, and nothing worse since"""
    bounced: int
    """Of those sent: came back"""
    complained: int
    """Of those sent: reported as spam"""
    opened: int
    """Of those sent: opened at least once"""
    clicked: int
    """Of those sent: a link was followed at least once"""
    withheld: int
    """Of those failed: never submitted, since the address was suppressed, unsubscribed or bounced. Counted up to 100,000"""


class BouncesByKind(TypedDict):
    """Came back, or were rejected"""

    hard: int
    """The address will never get mail"""
    soft: int
    """It may pass, like a full mailbox"""


class ReceiverReputation(TypedDict):
    """What became of the emails to one receiver"""

    receiver: str
    """Who runs the mailboxes, by its best-known domain: `gmail.com` stands for googlemail.com too. Any domain that is not known is a receiver by itself"""
    sent: int
    """Accepted by the provider"""
    rejected: int
    """Not among those sent: refused at the submission since the address does not exist. Each is one of `bounced.hard`, too"""
    delivered: int
    """Reported as delivered, and nothing worse since"""
    deferred: int
    """Reported as put off by the receiver at least once, whatever came of them: each is also what it has become since"""
    bounced: BouncesByKind
    complained: int
    """Reported as spam"""
    bounce_rate: float | None
    """The share that bounced of those sent and rejected, 0 to 1; null where there are none"""
    complaint_rate: float | None
    """The share that complained of those sent, 0 to 1; null where there are none"""
    state: Literal['good', 'warning', 'critical'] | None
    """`critical`: complaints of 0.3 % or more, or bounces of 5 % or more; `warning`: complaints of 0.1 % or more. null: fewer than 100 emails, of which a share says nothing. GET /attention looks at the last 7 days"""


class OtherReputation1(TypedDict):
    """Those beyond the rows, together, and emails to unknown domains whose recipients were erased since; null when there are none"""

    groups: int
    """How many they are"""
    sent: int
    """Accepted by the provider"""
    rejected: int
    """Not among those sent: refused at the submission since the address does not exist. Each is one of `bounced.hard`, too"""
    delivered: int
    """Reported as delivered, and nothing worse since"""
    deferred: int
    """Reported as put off by the receiver at least once, whatever came of them: each is also what it has become since"""
    bounced: BouncesByKind
    complained: int
    """Reported as spam"""
    bounce_rate: float | None
    """The share that bounced of those sent and rejected, 0 to 1; null where there are none"""
    complaint_rate: float | None
    """The share that complained of those sent, 0 to 1; null where there are none"""


OtherReputation: TypeAlias = OtherReputation1 | None
"""Those beyond the rows, together, and emails to unknown domains whose recipients were erased since; null when there are none"""


ContactGrowth = TypedDict(
    'ContactGrowth',
    {
        'made': int,
        'unsubscribed': int,
        'bounced': int,
        'resubscribed': int,
        'erased': int,
        'from': Timestamp,
    },
)


class ContactGrowthTotals(TypedDict):
    """Of the whole period"""

    made: int
    """New ones, by when they were made, with whatever status"""
    unsubscribed: int
    """Became unsubscribed, and were not bounced before"""
    bounced: int
    """Became bounced, and were not unsubscribed before"""
    resubscribed: int
    """Came back from unsubscribed or bounced"""
    erased: int
    """Erased, whatever their status was"""


class AttentionItem(TypedDict):
    """One thing that needs a look"""

    kind: Literal['provider_passed_over', 'provider_allowance_used', 'owner_unverified', 'brand_without_sender', 'domain_unverified', 'domain_failing', 'domain_key_awaited', 'reputation_domain', 'reputation_receiver', 'webhook_failing', 'campaign_held', 'campaign_without_segment', 'recurring_held', 'recurring_not_made', 'runs_held', 'sequence_failing', 'rendering_failed', 'scheduled_overdue']
    """What it is about"""
    message: str
    """For people: what is the matter and what to do. Its words may change"""
    about: str | None
    """The name of the mail provider, the id of the endpoint, campaign, recurring campaign or domain, the slug of the brand, the reason of the runs that are held, the key of the sequence or of the template, the sending domain or receiver of a reputation; of emails whose content a call brought null"""
    count: int | None
    """How many deliveries, runs or emails, counted up to 1000; null where nothing is counted"""
    sequences: NotRequired[list[str]]
    """Of runs that are held: the keys of their sequences, the one with the most of them first"""
    since: NotRequired[Timestamp]
    """Of what failed: from when on it is counted; of a domain or a mail provider, since when; of a reputation, of which emails"""
    reason: NotRequired[str]
    """Of what failed: the commonest reason, as runs and the send log have it, cut off at 200 characters; of a mail provider, what it said"""


class UsedTag(TypedDict):
    """A tag that contacts have"""

    tag: str
    """As contacts have it"""
    contacts: int
    """How many have it now"""


class UsedAttribute(TypedDict):
    """An attribute that contacts have"""

    name: str
    """`attributes.<name>` in conditions"""
    types: list[Literal['array', 'boolean', 'null', 'number', 'object', 'string']]
    """Of the values that were seen"""
    contacts: int
    """How many of the sample have it"""


class SeenEventType(TypedDict):
    """A type of product events that came"""

    type: str
    """As POST /events had it"""
    last_seen_at: Timestamp
    """When one came: the latest may be up to an hour later"""


MailThatCameBack: TypeAlias = str
"""A mail (RFC 5322)"""


class Bounce1(TypedDict):
    """Of a bounce; hard when omitted"""

    kind: Literal['hard', 'soft']
    """hard: the address will never take email; soft: it may pass"""
    code: NotRequired[str | None]
    """RFC 3463, like 5.1.1"""


class GenericProviderEvent(TypedDict):
    """One event about one email"""

    type: Literal['delivered', 'bounced', 'complained', 'opened', 'clicked']
    """What happened to the email"""
    providerId: str
    """The id that POST /send returned, which is the send log's provider_id"""
    timestamp: str
    """When it happened"""
    bounce: NotRequired[Bounce1 | None]
    """Of a bounce; hard when omitted"""
    email: NotRequired[str | None]
    """Of an email with copies: which recipient it is about; `to` when omitted"""
    url: NotRequired[str | None]
    """The link of a click"""


class ReadinessChecks(TypedDict):
    """What answers"""

    database: Literal['ok', 'down']
    """PostgreSQL"""
    temporal: Literal['ok', 'down']
    """The Temporal server"""


class ContactTopicsEvent(TypedDict):
    """A contact, and which topics it chose anew"""

    id: str
    """Stays the same for good"""
    email: str
    """Unique in the project"""
    first_name: str | None
    """null: not known"""
    last_name: str | None
    """null: not known"""
    display_name: str | None
    """How the person wants to be called; null: not known"""
    status: ContactStatus
    brand_id: str
    """The slug of the contact's brand"""
    source: str
    """Where the contact comes from"""
    tags: list[str]
    """Each once, in the order in which they were given"""
    timezone: str | None
    """IANA name; null: not known"""
    locale: str | None
    """BCP 47; null: not known"""
    attributes: dict[str, JsonValue]
    """Fields of your own"""
    topics: dict[str, bool]
    """What the person chose, by the key of the topic. One that is not here is on or off as its `defaultOn` says"""
    created_at: Timestamp
    """When it was made"""
    updated_at: Timestamp
    """When it last changed"""
    changed_topics: dict[str, bool | None]
    """What changed, by the key of the topic"""


class ContactConfirmedEvent(TypedDict):
    """A contact, and when it was confirmed"""

    id: str
    """Stays the same for good"""
    email: str
    """Unique in the project"""
    first_name: str | None
    """null: not known"""
    last_name: str | None
    """null: not known"""
    display_name: str | None
    """How the person wants to be called; null: not known"""
    status: ContactStatus
    brand_id: str
    """The slug of the contact's brand"""
    source: str
    """Where the contact comes from"""
    tags: list[str]
    """Each once, in the order in which they were given"""
    timezone: str | None
    """IANA name; null: not known"""
    locale: str | None
    """BCP 47; null: not known"""
    attributes: dict[str, JsonValue]
    """Fields of your own"""
    topics: dict[str, bool]
    """What the person chose, by the key of the topic. One that is not here is on or off as its `defaultOn` says"""
    created_at: Timestamp
    """When it was made"""
    updated_at: Timestamp
    """When it last changed"""
    confirmed_at: str
    """When the person confirmed"""


class EmailEvent(TypedDict):
    """An email, as events tell of it"""

    send_id: str
    """Of the row in the send log"""
    provider_id: str
    """The `id` that POST /send answered"""
    contact_id: str | None
    """null: an address without a contact, or a copy"""
    email: str
    """The recipient; of a copy whom that went to"""
    template: str | None
    """The key of the template; null: the call brought the content itself"""
    type: SendType
    subject: str
    """As it was sent"""
    brand_id: str
    """The brand's slug"""
    source_type: Literal['api', 'campaign', 'sequence', 'test', 'confirmation']
    """What sent it"""
    source_id: str | None
    """The id of that campaign or sequence"""
    tags: NotRequired[list[str]]
    """As the call gave them; absent when it gave none"""
    metadata: NotRequired[dict[str, str]]
    """As the call gave it; absent when it gave none"""
    copy: NotRequired[Literal[True]]
    """It is about an address of `cc` or `bcc`, which `email` is"""
    sandboxed: NotRequired[Literal[True]]
    """It never left; absent of all other email"""


class EmailClickedEvent(TypedDict):
    """An email, and the link that was clicked"""

    send_id: str
    """Of the row in the send log"""
    provider_id: str
    """The `id` that POST /send answered"""
    contact_id: str | None
    """null: an address without a contact, or a copy"""
    email: str
    """The recipient; of a copy whom that went to"""
    template: str | None
    """The key of the template; null: the call brought the content itself"""
    type: SendType
    subject: str
    """As it was sent"""
    brand_id: str
    """The brand's slug"""
    source_type: Literal['api', 'campaign', 'sequence', 'test', 'confirmation']
    """What sent it"""
    source_id: str | None
    """The id of that campaign or sequence"""
    tags: NotRequired[list[str]]
    """As the call gave them; absent when it gave none"""
    metadata: NotRequired[dict[str, str]]
    """As the call gave it; absent when it gave none"""
    copy: NotRequired[Literal[True]]
    """It is about an address of `cc` or `bcc`, which `email` is"""
    sandboxed: NotRequired[Literal[True]]
    """It never left; absent of all other email"""
    url: str
    """The link that was clicked"""


class Bounce2(TypedDict):
    """Absent where the report does not say"""

    kind: Literal['hard', 'soft']
    """`hard`: the address is suppressed"""
    code: NotRequired[str | None]
    """The status that the receiver gave, where the report has one"""


class EmailBouncedEvent(TypedDict):
    """An email, and why it came back"""

    send_id: str
    """Of the row in the send log"""
    provider_id: str
    """The `id` that POST /send answered"""
    contact_id: str | None
    """null: an address without a contact, or a copy"""
    email: str
    """The recipient; of a copy whom that went to"""
    template: str | None
    """The key of the template; null: the call brought the content itself"""
    type: SendType
    subject: str
    """As it was sent"""
    brand_id: str
    """The brand's slug"""
    source_type: Literal['api', 'campaign', 'sequence', 'test', 'confirmation']
    """What sent it"""
    source_id: str | None
    """The id of that campaign or sequence"""
    tags: NotRequired[list[str]]
    """As the call gave them; absent when it gave none"""
    metadata: NotRequired[dict[str, str]]
    """As the call gave it; absent when it gave none"""
    copy: NotRequired[Literal[True]]
    """It is about an address of `cc` or `bcc`, which `email` is"""
    sandboxed: NotRequired[Literal[True]]
    """It never left; absent of all other email"""
    bounce: NotRequired[Bounce2]
    """Absent where the report does not say"""


class SequenceCompletedEvent(TypedDict):
    """A run that has come to its end"""

    enrollment_id: str
    """The run"""
    sequence_key: str
    """Its sequence"""
    contact_id: str
    """Who went through it"""
    reason: Literal['exit', 'goal', 'dead_end', 'hop_guard', 'failed', 'cancelled', 'exit_sequences', 'archived', 'terminated']
    """How it ended"""
    sandboxed: NotRequired[Literal[True]]
    """A test key asked for it; absent of all other runs"""


class Problem1(TypedDict):
    purpose: str
    """What the record is for"""
    problem: str
    """In words"""


class DomainEvent(TypedDict):
    """A sending domain, and what DNS has of it"""

    domain_id: str
    """The sending domain"""
    domain: str
    """Its name"""
    standing: Literal['pending', 'verified', 'failing']
    """By DNS alone"""
    verified: bool
    """Whether mail may be from it"""
    failing_since: Timestamp | None
    """null unless it is failing"""
    problems: list[Problem1]
    """What is wrong with its records"""


PingEvent: TypeAlias = dict[str, Any]
"""Whatever the caller of the ping gave"""


class ContactsExportQuery(TypedDict):
    """What contacts.export takes beside its path"""

    status: NotRequired[ContactStatus]
    """`pending`: not asked yet. `unsubscribed` and `bounced` contacts get no marketing email"""
    tag: NotRequired[str]
    """One that they carry"""
    email: NotRequired[Email]
    """The whole address, in any spelling"""
    q: NotRequired[str]
    """Part of the email or of a name, without regard to case"""
    attributes: NotRequired[str]
    """Names of attributes, between commas, that are columns of their own beside `attributes`, which has all of them as JSON"""


class ContactsListQuery(TypedDict):
    """What contacts.list takes beside its path"""

    status: NotRequired[ContactStatus]
    """`pending`: not asked yet. `unsubscribed` and `bounced` contacts get no marketing email"""
    tag: NotRequired[str]
    """One that they carry"""
    email: NotRequired[Email]
    """The whole address, in any spelling"""
    q: NotRequired[str]
    """Part of the email or of a name, without regard to case"""
    limit: NotRequired[int]
    """50 when omitted"""
    cursor: NotRequired[str]
    """From the answer before; the filters stay as they are"""
    direction: NotRequired[Literal['next', 'previous']]
    """next reads older contacts, previous newer ones"""
    counts: NotRequired[Literal['all', 'kept']]
    """kept: what a search finds is not counted where that takes time"""


class ContactsDeleteAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: str
    """What it was"""
    deleted: Literal[True]
    """It is gone"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class ContactsUnsubscribeAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: str
    """Stays the same for good"""
    status: Literal['unsubscribed']
    """From now on"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class ContactsTimelineQuery(TypedDict):
    """What contacts.timeline takes beside its path"""

    kind: NotRequired[Literal['contact_created', 'consent_changed', 'suppressed', 'event', 'event_refused', 'mail_sent', 'mail_failed', 'mail_skipped', 'mail_reported', 'mail_opened', 'mail_clicked', 'sequence_entered', 'sequence_left', 'enrollment_refused', 'campaign_left_out']]
    """Only what is of this kind; all when omitted"""
    limit: NotRequired[int]
    """50 when omitted"""
    cursor: NotRequired[str]
    """`nextCursor` of the page before"""


class ContactsTimelineAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    timeline: list[TimelineEntry]
    """One entry a happening"""
    withMails: bool
    """false: the key may not read sends, so the emails are left out"""
    nextCursor: str | None
    """Where older entries begin; null at the end"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TopicsListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    topics: list[Topic]
    """All of them, in the order of the page on which people choose"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TopicsCreateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    topic: Topic
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TopicsGetAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    topic: Topic
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TopicsUpdateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    topic: Topic
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TopicsDeleteAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    key: str
    """What it was"""
    deleted: Literal[True]
    """It is gone"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class ImportsCreateForm(TypedDict):
    """A form with one file, and how it is read"""

    settings: NotRequired[ImportSettings]


class ImportsCreateQuery(TypedDict):
    """What imports.create takes beside its path"""

    dryRun: NotRequired[Literal['1']]
    """`1`: nothing is done, and the answer says what would be"""


class ImportsListQuery(TypedDict):
    """What imports.list takes beside its path"""

    status: NotRequired[Literal['running', 'paused', 'completed', 'cancelled', 'failed']]
    """How it stands"""
    limit: NotRequired[int]
    """50 when omitted"""
    cursor: NotRequired[str]
    """From the answer before; the filters stay as they are"""


class ImportsColumnsForm(TypedDict):
    """A form with one file, and how it is read"""

    settings: NotRequired[ImportSettings]


class ImportsColumnsAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    delimiter: str
    """Of the cells, as it was given or found out"""
    columns: list[ImportColumn]
    """Of the file, in its order: what each would be, by the mapping or by its name"""
    rows: list[list[str]]
    """The first five rows, as they are"""
    fields: list[str]
    """What a column may be, beside `attributes.<name>`"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SendAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: NotRequired[str]
    """The provider's message id"""
    missing: NotRequired[list[str]]
    """Paths that the email shows and the data lacks; they rendered empty. Absent when there are none"""
    leftOut: NotRequired[list[LeftOut]]
    """Copies that did not go, while the email did. Absent when there are none"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SendAccepted(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: str
    """Of its row, now and when it has gone"""
    status: Literal['scheduled']
    """It waits"""
    sendAt: Timestamp
    """When it is to go"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SendBatchAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    results: list[SendBatchResult]
    """One of each email, in the order of `mails`"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SendsCheckAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    willGet: int
    """How many of them would get it"""
    results: list[SendCheckResult]
    """One of each recipient, in the order of `recipients`"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


SendsExportQuery = TypedDict(
    'SendsExportQuery',
    {
        'template': NotRequired[str],
        'type': NotRequired[SendType],
        'status': NotRequired[SendStatus],
        'contactId': NotRequired[str],
        'sourceType': NotRequired[str],
        'sourceId': NotRequired[str],
        'variant': NotRequired[str],
        'deliveryStatus': NotRequired[Literal['queued', 'delivered', 'bounced', 'complained', 'none']],
        'sandboxed': NotRequired[Literal['true', 'false']],
        'from': NotRequired[Timestamp],
        'to': NotRequired[Timestamp],
        'tag': NotRequired[str],
        'metadata': NotRequired[str],
        'q': NotRequired[str],
    },
)


SendsListQuery = TypedDict(
    'SendsListQuery',
    {
        'template': NotRequired[str],
        'type': NotRequired[SendType],
        'status': NotRequired[SendStatus],
        'contactId': NotRequired[str],
        'sourceType': NotRequired[str],
        'sourceId': NotRequired[str],
        'variant': NotRequired[str],
        'deliveryStatus': NotRequired[Literal['queued', 'delivered', 'bounced', 'complained', 'none']],
        'sandboxed': NotRequired[Literal['true', 'false']],
        'from': NotRequired[Timestamp],
        'to': NotRequired[Timestamp],
        'tag': NotRequired[str],
        'metadata': NotRequired[str],
        'q': NotRequired[str],
        'limit': NotRequired[int],
        'cursor': NotRequired[str],
    },
)


class SendsListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    sends: list[SendLogEntry]
    """This page"""
    nextCursor: str | None
    """For the next page; null on the last"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SendsGetAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    send: SendWithEvents
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SendsRescheduleAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: str
    """Of its row, now and when it has gone"""
    status: Literal['scheduled']
    """It waits"""
    sendAt: Timestamp
    """When it is to go"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SendsCancelAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: str
    """What it was"""
    deleted: Literal[True]
    """It does not go"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SendsMailAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    subject: str
    """As it was sent; rendered again where it was not rendered then"""
    html: str
    """The whole page"""
    text: str
    """The same for programs that show no HTML"""
    missing: list[str]
    """Paths that the email shows and that nothing is known for; they rendered empty"""
    data: Literal['campaign', 'none']
    """What it was made with: the data of its campaign, or none, since that of others is not kept"""
    version: int | None
    """Of the content; null: as the template ships"""
    publication: int | None
    """`version` counts every save; `publication` counts what was published; the console calls it Version. null: as the template ships"""
    isCurrent: bool
    """Whether that is what emails say now"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SendsRetryAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: NotRequired[str | None]
    """The provider's message id; null when it is `queued`"""
    missing: NotRequired[list[str]]
    """Paths that the email shows and the data lacks; they rendered empty. Absent when there are none"""
    leftOut: NotRequired[list[LeftOut]]
    """Copies that did not go, while the email did. Absent when there are none"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""
    send_id: str
    """Of the row that follows; GET /sends/:id knows it when it has its outcome"""
    queued: bool
    """Whether its campaign sends it after this answer"""


class FilesUploadForm(TypedDict):
    """A form with one file"""


class FilesUploadAnswer(TypedDict):
    """An uploaded file, for emails"""

    ok: Literal[True]
    """It was done"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""
    id: str
    """What an email names it by"""
    filename: str
    """As it was uploaded"""
    content_type: str
    """As the part said, in lower case and without parameters"""
    size: int
    """Bytes"""
    sha256: str
    """Of its bytes, 64 hex digits"""
    created_at: Timestamp
    """When it was made"""
    expires_at: Timestamp
    """It is gone then, unless an email uses its bytes before: a year after the last"""


class FilesListQuery(TypedDict):
    """What files.list takes beside its path"""

    limit: NotRequired[int]
    """50 when omitted"""
    cursor: NotRequired[str]
    """From the answer before; the filters stay as they are"""


class FilesListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    files: list[File]
    """This page"""
    nextCursor: str | None
    """For the next page; null on the last"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class FilesGetAnswer(TypedDict):
    """An uploaded file, for emails"""

    ok: Literal[True]
    """It was done"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""
    id: str
    """What an email names it by"""
    filename: str
    """As it was uploaded"""
    content_type: str
    """As the part said, in lower case and without parameters"""
    size: int
    """Bytes"""
    sha256: str
    """Of its bytes, 64 hex digits"""
    created_at: Timestamp
    """When it was made"""
    expires_at: Timestamp
    """It is gone then, unless an email uses its bytes before: a year after the last"""


class FilesDeleteAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: str
    """Of the file"""
    deleted: Literal[True]
    """No email can name it any more"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class ImagesUploadForm(TypedDict):
    """A form with one picture"""


class ImagesUploadAnswer(TypedDict):
    """A picture for emails, with a public address"""

    ok: Literal[True]
    """It was done"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""
    id: str
    """What it is deleted by"""
    url: str
    """Public, for `src` of an image block; what is behind it never changes"""
    filename: str
    """As it was uploaded first"""
    content_type: Literal['image/png', 'image/jpeg', 'image/gif', 'image/webp']
    """As its bytes show it"""
    width: int
    """Pixels"""
    height: int
    """Pixels"""
    size: int
    """Bytes"""
    sha256: str
    """Of its bytes, 64 hex digits"""
    created_at: Timestamp
    """When it was made"""


class ImagesListQuery(TypedDict):
    """What images.list takes beside its path"""

    limit: NotRequired[int]
    """50 when omitted"""
    cursor: NotRequired[str]
    """From the answer before; the filters stay as they are"""


class ImagesListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    images: list[Image]
    """This page"""
    nextCursor: str | None
    """For the next page; null on the last"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class ImagesDeleteAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: str
    """Of the image"""
    deleted: Literal[True]
    """Nobody gets it any more"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TemplatesListQuery(TypedDict):
    """What templates.list takes beside its path"""

    brand: NotRequired[str]
    """A brand's slug; the project's default when omitted"""


class TemplatesListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    templates: list[Template]
    """All of them, by their keys"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TemplatesCreateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    key: str
    """Its key"""
    type: SendType
    enabled: Literal[False]
    """PUT /templates/:key enables it"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TemplatesSchemaQuery(TypedDict):
    """What templates.schema takes beside its path"""

    brand: NotRequired[str]
    """A brand's slug; the project's default when omitted"""


class TemplatesSchemaAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    key: str
    """The key of the template"""
    type: SendType
    subject: str
    """Liquid; that of emails whose send, campaign or brand gives none"""
    dataSchema: list[TemplateField]
    """What it expects in data"""
    declared: list[TemplateDataField]
    """What is declared, whatever is used: of a template of your own PUT changes it"""
    version: int
    """Of the declaration, for `ifVersion` of PUT"""
    systemVars: list[str]
    """Filled in by the renderer; passing them in data has no effect"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TemplatesReplaceSchemaQuery(TypedDict):
    """What templates.replaceSchema takes beside its path"""

    ifVersion: NotRequired[int]
    """The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is another by now"""


class TemplatesReplaceSchemaAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    key: str
    """The key of the template"""
    version: int
    """Of the declaration: one more with every change"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TemplatesEnableAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    key: str
    """The key of the template"""
    enabled: bool
    """Whether the brand may send it now"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TemplatesUpdateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    key: str
    """Its key"""
    name: str
    """For your own lists"""
    description: str
    """What it is for"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TemplatesDeleteAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    key: str
    """What it was"""
    deleted: Literal[True]
    """It is gone"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TemplatesContentQuery(TypedDict):
    """What templates.content takes beside its path"""

    brand: NotRequired[str]
    """A brand's slug; the project's default when omitted"""
    locale: NotRequired[str]
    """A language, by its BCP 47 tag; the default when omitted"""


class TemplatesSaveContentQuery(TypedDict):
    """What templates.saveContent takes beside its path"""

    ifVersion: NotRequired[int]
    """The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is another by now"""


class TemplatesSaveContentAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    key: str
    """The key of the template"""
    version: int
    """The number of what was saved"""
    published: bool
    """Whether emails say it now"""
    publication: NotRequired[int]
    """`version` counts every save; `publication` counts what was published; the console calls it Version. Absent of a draft"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TemplatesLanguagesQuery(TypedDict):
    """What templates.languages takes beside its path"""

    brand: NotRequired[str]
    """A brand's slug; the project's default when omitted"""


class TemplatesDeleteLanguageQuery(TypedDict):
    """What templates.deleteLanguage takes beside its path"""

    brand: NotRequired[str]
    """A brand's slug; the project's default when omitted"""


class TemplatesDeleteLanguageAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    key: str
    """The key of the template"""
    locale: str
    """The tag that was taken away"""
    deleted: Literal[True]
    """No email says it any more"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TemplatesVersionsQuery(TypedDict):
    """What templates.versions takes beside its path"""

    brand: NotRequired[str]
    """A brand's slug; the project's default when omitted"""
    locale: NotRequired[str]
    """A language, by its BCP 47 tag; the default when omitted"""
    limit: NotRequired[int]
    """50 when omitted"""
    before: NotRequired[int]
    """Only versions before this one: the next page"""


class TemplatesVersionsAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    versions: list[ListedTemplateVersion]
    """This page"""
    first: FirstTemplateVersion
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TemplatesGetVersionQuery(TypedDict):
    """What templates.getVersion takes beside its path"""

    brand: NotRequired[str]
    """A brand's slug; the project's default when omitted"""
    locale: NotRequired[str]
    """A language, by its BCP 47 tag; the default when omitted"""


class TemplatesPreviewAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    subject: str
    """As the recipient sees it"""
    html: str
    """The whole page"""
    text: str
    """The same for programs that show no HTML"""
    missing: list[str]
    """Paths that the email shows or the template requires and the data lacks; they rendered empty"""
    locale: str | None
    """The language that is shown; null: the default, or the content that was given"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TemplatesSendTestAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: NotRequired[str]
    """The provider's message id"""
    missing: NotRequired[list[str]]
    """Paths that the email shows and the data lacks; they rendered empty. Absent when there are none"""
    leftOut: NotRequired[list[LeftOut]]
    """Copies that did not go, while the email did. Absent when there are none"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TemplatesSourceQuery(TypedDict):
    """What templates.source takes beside its path"""

    brand: NotRequired[str]
    """A brand's slug; the project's default when omitted"""


class TemplatesCheckAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    key: str
    """Its key"""
    exists: bool
    """Whether there is one now"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SavedBlocksDeleteAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: str
    """Of the saved block"""
    deleted: Literal[True]
    """It is gone"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class CampaignsCreateQuery(TypedDict):
    """What campaigns.create takes beside its path"""

    draft: NotRequired[Literal['1', 'true']]
    """Kept, and not sent before POST /campaigns/:id/launch: whatever is not known yet may be left out"""


class CampaignsCreateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    campaignId: str
    """Its id from now on"""
    audienceSize: int
    """Who matches"""
    enrolled: int
    """Who of them gets email: not those who have unsubscribed, bounced or are suppressed"""
    scheduledFor: Timestamp | None
    """null: at once"""
    status: CampaignStatus
    version: NotRequired[int]
    """Of a draft, for `ifVersion`; absent of what is sent"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class CampaignsListQuery(TypedDict):
    """What campaigns.list takes beside its path"""

    status: NotRequired[CampaignStatus]
    """`scheduled` until its time comes, `queued` until its workflow begins, `sending`, then for good `sent` (every recipient is settled), `cancelled`, or `failed` (nothing could go: `reason` says why). `draft`: nobody has launched it"""
    recurringId: NotRequired[str]
    """Those that this recurring campaign has made"""
    underWay: NotRequired[Literal['true', 'false']]
    """`true`: those scheduled, queued or sending; `false`: the others"""
    limit: NotRequired[int]
    """50 when omitted"""
    cursor: NotRequired[str]
    """From the answer before; the filters stay as they are"""


class CampaignsUpdateQuery(TypedDict):
    """What campaigns.update takes beside its path"""

    ifVersion: NotRequired[int]
    """The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is another by now"""


class CampaignsDeleteQuery(TypedDict):
    """What campaigns.delete takes beside its path"""

    ifVersion: NotRequired[int]
    """The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is another by now"""


class CampaignsDeleteAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: str
    """What it was"""
    deleted: Literal[True]
    """It is gone"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class CampaignsCancelAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: str
    """Of the campaign"""
    status: Literal['cancelled']
    """For good"""
    cancelledJobs: int
    """Recipients who never get it; 0 when it was cancelled before"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class CampaignsPeopleQuery(TypedDict):
    """What campaigns.people takes beside its path"""

    outcome: NotRequired[Literal['left_out']]
    """Who does not get it"""
    reason: NotRequired[LeftOutReason]
    """Of those alone who were left out for it"""
    limit: NotRequired[int]
    """50 when omitted"""
    cursor: NotRequired[str]
    """From the answer before; the filters stay as they are"""


class CampaignsPeopleAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    emails: list[str]
    """All that it was given, each once, by the alphabet; none with `outcome`"""
    people: list[PersonLeftOut]
    """This page of those who were left out; none without `outcome`"""
    nextCursor: str | None
    """For the next page; null on the last"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class CampaignsExportPeopleQuery(TypedDict):
    """What campaigns.exportPeople takes beside its path"""

    outcome: NotRequired[Literal['sent', 'failed', 'left_out']]
    """Of these alone"""


class CampaignsAudienceQuery(TypedDict):
    """What campaigns.audience takes beside its path"""

    digest: NotRequired[Literal['1']]
    """`1`: with the digest of who would get it"""


class CampaignsAudienceAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    audienceSize: int
    """Who matches"""
    enrolled: int
    """Who of them would get it"""
    digest: NotRequired[str]
    """Another one for any other addresses that would get it; with `digest=1`"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class CampaignsLaunchQuery(TypedDict):
    """What campaigns.launch takes beside its path"""

    ifVersion: NotRequired[int]
    """The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is another by now"""


class CampaignsLaunchAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    campaignId: str
    """Its id from now on"""
    audienceSize: int
    """Who matches"""
    enrolled: int
    """Who of them gets email: not those who have unsubscribed, bounced or are suppressed"""
    scheduledFor: Timestamp | None
    """null: at once"""
    status: CampaignStatus
    version: NotRequired[int]
    """Of a draft, for `ifVersion`; absent of what is sent"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class CampaignsApproveQuery(TypedDict):
    """What campaigns.approve takes beside its path"""

    ifVersion: NotRequired[int]
    """The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is another by now"""


class CampaignsResultsQuery(TypedDict):
    """What campaigns.results takes beside its path"""

    bucket: NotRequired[Literal['hour', 'day']]
    """`hour`: the first 7 days; `day`: the first 60"""


class CampaignsZonesAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    zones: list[CampaignZone]
    """All of them"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class CampaignsFailuresAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    failures: list[CampaignFailures]
    """The most first; empty when nobody has failed"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class CampaignsRetryAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: str
    """Of the campaign"""
    status: CampaignStatus
    retried: int
    """Recipients to whom it goes again; 0 leaves the campaign as it is"""
    mayArriveTwice: int
    """Those of them whose email was `outcome_unknown`: it may have arrived"""
    more: NotRequired[Literal[True]]
    """Others may be left to whom it goes when this is asked again; absent when none is"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class RecurringCampaignsListQuery(TypedDict):
    """What recurringCampaigns.list takes beside its path"""

    status: NotRequired[RecurringCampaignStatus]
    """`active`, `paused` until it is resumed, or `ended` for good"""
    limit: NotRequired[int]
    """50 when omitted"""
    cursor: NotRequired[str]
    """From the answer before; the filters stay as they are"""


class RecurringCampaignsUpdateQuery(TypedDict):
    """What recurringCampaigns.update takes beside its path"""

    ifVersion: NotRequired[int]
    """The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is another by now"""


class RecurringCampaignsEndQuery(TypedDict):
    """What recurringCampaigns.end takes beside its path"""

    ifVersion: NotRequired[int]
    """The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is another by now"""


class RecurringCampaignsRunsQuery(TypedDict):
    """What recurringCampaigns.runs takes beside its path"""

    limit: NotRequired[int]
    """50 when omitted"""
    cursor: NotRequired[str]
    """From the answer before; the filters stay as they are"""


class Run(TypedDict):
    due_at: Timestamp
    """The instant of the rule"""
    outcome: RecurringRunOutcome
    reason: Literal['empty_audience', 'unknown_segment', 'unknown_template', 'template_not_enabled', 'no_brand', 'invalid_from', 'unknown_topic', 'project_suspended', 'email_unverified', 'approval_required', 'later_run_due', 'ends_at_reached', 'changed', 'paused', 'deleted'] | None
    """Of `not_created`: empty_audience, unknown_segment, unknown_topic, project_suspended, email_unverified, approval_required or a code of the template. Of `missed`: later_run_due (a later one was due as well when it could be made), ends_at_reached (its campaign would have been over), or changed, paused or deleted before it was made"""
    campaign_id: str | None
    """The campaign that was made; null: none was"""
    at: Timestamp
    """When that was settled"""


class RecurringCampaignsRunsAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    runs: list[Run]
    """This page"""
    nextCursor: str | None
    """For the next page; null on the last"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class RecurringCampaignsSkipNextQuery(TypedDict):
    """What recurringCampaigns.skipNext takes beside its path"""

    ifVersion: NotRequired[int]
    """The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is another by now"""


class RecurringCampaignsApproveQuery(TypedDict):
    """What recurringCampaigns.approve takes beside its path"""

    ifVersion: NotRequired[int]
    """The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is another by now"""


class RecurringCampaignsPreviewAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    in_words: str
    """The rule in words"""
    next_runs: list[Timestamp]
    """The next 5 at most; none: it would be refused"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesCreateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: str
    """Its id from now on"""
    key: str
    """The key of the sequence"""
    steps: int
    """How many emails"""
    version: int
    """Of the graph: 1 at first, one more with every PUT"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    sequences: list[SequenceSummary]
    """All of them"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesGetQuery(TypedDict):
    """What sequences.get takes beside its path"""

    version: NotRequired[int]
    """The current one when omitted"""


class SequencesReplaceQuery(TypedDict):
    """What sequences.replace takes beside its path"""

    ifVersion: NotRequired[int]
    """The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is another by now"""
    dryRun: NotRequired[Literal['1']]
    """`1`: nothing is done, and the answer says what would be"""


class SequencesUpdateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    key: str
    """The key of the sequence"""
    name: str
    """For your own lists; no recipient sees it"""
    status: SequenceStatus
    version: int
    """Of the graph: 1 at first, one more with every PUT"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesDeleteAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    deleted: Literal[True]
    """It is gone"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesDateEntriesAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    dates: list[UpcomingEntries]
    """One for each trigger"""
    aheadMinutes: int
    """So far ahead each look plans"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesVersionsQuery(TypedDict):
    """What sequences.versions takes beside its path"""

    limit: NotRequired[int]
    """50 when omitted"""
    before: NotRequired[int]
    """Only versions before this one: the next page"""
    inUse: NotRequired[Literal['true', 'false']]
    """`true`: only the current one and those by which runs are under way"""


class SequencesVersionsAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    versions: list[SequenceVersion]
    """This page; the first of all is the current one"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesFlowQuery(TypedDict):
    """What sequences.flow takes beside its path"""

    version: NotRequired[int]
    """Runs of this version alone, over its graph; all when omitted"""


class SequenceStartersListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    starters: list[SequenceStarter]
    """In the order in which they are offered"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class Refusal(TypedDict):
    """Why the contact could not be enrolled now, as POST enroll would say"""

    reason: EnrollRefusal
    message: str
    """In words; they may change"""


class SequencesEnrollSegmentAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    bulk: BulkEnrollment
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesBulkEnrollmentsQuery(TypedDict):
    """What sequences.bulkEnrollments takes beside its path"""

    limit: NotRequired[int]
    """50 when omitted"""
    cursor: NotRequired[str]
    """From the answer before; the filters stay as they are"""


class SequencesBulkEnrollmentsAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    bulks: list[BulkEnrollment]
    """This page"""
    nextCursor: str | None
    """For the next page; null on the last"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesGetBulkEnrollmentAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    bulk: BulkEnrollment
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesCancelBulkEnrollmentAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    bulk: BulkEnrollment
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesStartActionAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    dryRun: Literal[True]
    """Nothing was done"""
    count: int
    """Runs that match now"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesActionsQuery(TypedDict):
    """What sequences.actions takes beside its path"""

    limit: NotRequired[int]
    """50 when omitted"""
    cursor: NotRequired[str]
    """From the answer before; the filters stay as they are"""


class SequencesEnrollAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    enrollmentId: str
    """Of GET /enrollments/:id"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesEnrollManyAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    requested: int
    """Ids or addresses in the request"""
    enrolled: int
    """New enrollments"""
    skipped: int
    """The others"""
    reasons: SkippedReasons
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesEnrollmentsQuery(TypedDict):
    """What sequences.enrollments takes beside its path"""

    contactId: NotRequired[str]
    """A contact's id"""
    status: NotRequired[EnrollmentStatus]
    """Only those that are under way, came to an end of the flow, or were ended before"""
    nodeId: NotRequired[str]
    """Only those that stand at the node with this id, or have ended there"""
    waitingFor: NotRequired[Wait | str]
    """Only those that wait for this"""
    failedSteps: NotRequired[Literal['some']]
    """`some`: only those of which a step failed; all when omitted"""
    held: NotRequired[Literal['some'] | HoldReason]
    """Only those that are held for this reason, or for any (`some`); all when omitted"""
    version: NotRequired[int]
    """Only those that go through this version of the graph; all when omitted"""
    leftOut: NotRequired[Literal['some'] | MailLeftOutReason]
    """Only those that went on without an email for this reason, or for any (`some`). Of the 10,000 runs that started last, as GET /sequences/:key/flow counts them"""
    leftOutAt: NotRequired[str]
    """Only those that went on without the email of the node with this id; likewise"""
    limit: NotRequired[int]
    """50 when omitted"""
    cursor: NotRequired[str]
    """From the answer before; the filters stay as they are"""


class SequencesEnrollmentsAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    enrollments: list[ListedEnrollment]
    """This page"""
    nextCursor: str | None
    """For the next page; null on the last"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class EnrollmentsGetQuery(TypedDict):
    """What enrollments.get takes beside its path"""

    limit: NotRequired[int]
    """250 when omitted"""
    cursor: NotRequired[str]
    """From the answer before; the filters stay as they are"""


class EnrollmentsCancelAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: str
    """Of the enrollment"""
    status: Literal['cancelled']
    """For good"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class EventsTrackAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    contactId: str
    """Whom it happened to"""
    enrolled: int
    """New enrollments"""
    reArmed: int
    """Waiting enrollments that this event advanced"""
    goals: int
    """Enrollments that this event ended by their goal"""
    exited: int
    """Cancelled enrollments"""
    gathered: NotRequired[int]
    """In so many sequences a digest counts this event, or it is kept for the next one, and dropped should the contact not enter again; absent where there are none"""
    duplicate: bool
    """The Idempotency-Key completed before; nothing was done again"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SegmentsListQuery(TypedDict):
    """What segments.list takes beside its path"""

    counts: NotRequired[Literal['all', 'kept']]
    """kept: segments that would take time are not counted"""


class SegmentsUpdateQuery(TypedDict):
    """What segments.update takes beside its path"""

    ifVersion: NotRequired[int]
    """The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is another by now"""


class SegmentsDeleteAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: str
    """What it was"""
    deleted: Literal[True]
    """It is gone"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SegmentsContactsQuery(TypedDict):
    """What segments.contacts takes beside its path"""

    status: NotRequired[ContactStatus]
    """`pending`: not asked yet. `unsubscribed` and `bounced` contacts get no marketing email"""
    tag: NotRequired[str]
    """One that they carry"""
    q: NotRequired[str]
    """Part of the email or of a name, without regard to case"""
    limit: NotRequired[int]
    """50 when omitted"""
    cursor: NotRequired[str]
    """From the answer before; the filters stay as they are"""


class SegmentsExportQuery(TypedDict):
    """What segments.export takes beside its path"""

    status: NotRequired[ContactStatus]
    """`pending`: not asked yet. `unsubscribed` and `bounced` contacts get no marketing email"""
    tag: NotRequired[str]
    """One that they carry"""
    q: NotRequired[str]
    """Part of the email or of a name, without regard to case"""
    attributes: NotRequired[str]
    """Names of attributes, between commas, that are columns of their own beside `attributes`, which has all of them as JSON"""


class Sequence(TypedDict):
    key: str
    """Of the sequence"""
    name: str
    """For people"""
    status: SequenceStatus
    isTrigger: bool
    """Whoever becomes a member enters it"""
    isCondition: bool
    """A condition of it asks who is a member"""


class Campaign1(TypedDict):
    id: str
    """Of the campaign"""
    name: str
    """For people; empty: it has none"""
    subject: str
    """Liquid; empty: it has none yet"""
    template: str
    """Its key; empty: it has none yet"""
    status: CampaignStatus
    """draft or scheduled"""
    scheduled_at: Timestamp | None
    """When it begins; null: that is not said"""


class RecurringCampaign1(TypedDict):
    id: str
    """Of the recurring campaign"""
    name: str
    """For people; empty: it has none"""
    template: str
    """Its key"""
    status: RecurringCampaignStatus
    """active or paused"""
    next_run: Timestamp | None
    """null: it is paused"""


class SegmentsUsesAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    sequences: list[Sequence]
    """Up to 20"""
    sequenceCount: int | None
    """All of them; null: the key may not read them"""
    campaigns: list[Campaign1]
    """Up to 20"""
    campaignCount: int | None
    """All of them; null: the key may not read them"""
    recurringCampaigns: list[RecurringCampaign1]
    """Up to 20"""
    recurringCount: int | None
    """All of them; null: the key may not read them"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SuppressionsListQuery(TypedDict):
    """What suppressions.list takes beside its path"""

    q: NotRequired[str]
    """Part of the address"""
    email: NotRequired[Email]
    """The whole address"""
    reason: NotRequired[SuppressionReason]
    """`bounce`: email came back, as the provider reports; `complaint`: email was marked as spam, as the provider reports; `manual`: added by hand; `global_unsubscribe`: an opt-out from everything"""
    limit: NotRequired[int]
    """Pages of so many; 50 when only `cursor` is given"""
    cursor: NotRequired[str]
    """From the answer before; the filters stay as they are"""


class SuppressionsListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    suppressions: list[Suppression]
    """All of them, or this page"""
    nextCursor: NotRequired[str | None]
    """For the next page; null on the last, absent where no pages were asked for"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SuppressionsCreateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    email: str
    """The address"""
    reason: SuppressionReason
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SuppressionsDeleteAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    email: str
    """The address"""
    deleted: Literal[True]
    """It may get email again"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class WebhooksListenAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    listener: WebhookListener
    secret: str
    """What events are signed with. Told here only"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class WebhooksNextEventsAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    deliveries: list[ListenerDelivery]
    """The oldest first; empty: nothing has happened"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class WebhooksListenerDeliveriesQuery(TypedDict):
    """What webhooks.listenerDeliveries takes beside its path"""

    limit: NotRequired[int]
    """50 when omitted"""


class WebhooksDeleteListenerAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: str
    """What it was"""
    deleted: Literal[True]
    """It is gone"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class WebhooksListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    webhooks: list[WebhookEndpoint]
    """All of them"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class WebhooksCreateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    endpoint: WebhookEndpoint
    secret: str
    """Told here only. It signs every call; a receiver verifies against the raw body"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class WebhooksUpdateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    endpoint: WebhookEndpoint
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class WebhooksDeleteAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    id: str
    """What it was"""
    deleted: Literal[True]
    """It is gone"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class WebhooksRotateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    endpoint: WebhookEndpoint
    secret: str
    """Told here only. It signs every call; a receiver verifies against the raw body"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class WebhooksPingAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    delivered: bool
    """The answer was 2xx"""
    responseStatus: int | None
    """What the endpoint answered; null: nothing"""
    milliseconds: NotRequired[int]
    """Of an event that is tried out: until the status, or the failure"""
    error: NotRequired[str | None]
    """Likewise: why there was no answer"""
    response: NotRequired[WebhookAnswer | None]
    """Likewise: what came back, which is not kept"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


WebhooksDeliveriesQuery = TypedDict(
    'WebhooksDeliveriesQuery',
    {
        'status': NotRequired[WebhookDeliveryStatus],
        'eventType': NotRequired[str],
        'from': NotRequired[Timestamp],
        'to': NotRequired[Timestamp],
        'q': NotRequired[str],
        'limit': NotRequired[int],
        'cursor': NotRequired[str],
    },
)


class WebhooksDeliveriesAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    deliveries: list[WebhookDelivery]
    """This page"""
    nextCursor: str | None
    """For the next page; null on the last"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class WebhooksRetryDeliveryAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    delivery: WebhookDelivery
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class WebhooksAttemptDeliveryAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    outcome: WebhookAttemptOutcome
    delivery: WebhookDelivery
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class WebhooksAttemptDeliveriesAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    due: int
    """So many that were planned for later are due now. 0 while the endpoint is disabled"""
    hasMore: bool
    """More may be planned for later"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class WebhooksRetryFailedAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    retry: WebhookRetry
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


WebhooksLatestRetryQuery = TypedDict(
    'WebhooksLatestRetryQuery',
    {
        'eventType': NotRequired[str],
        'from': NotRequired[Timestamp],
        'to': NotRequired[Timestamp],
    },
)


class WebhooksLatestRetryAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    failed: int
    """Have failed at present, and would be begun again; counted to 100,000"""
    waiting: int
    """Are pending and have their next attempt planned for later, whatever the query; counted to 100,000"""
    retry: WebhookRetry | None
    """null: there was none"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class KeysListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    keys: list[ApiKey]
    """Revoked ones among them"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class KeysCreateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    key: ApiKey
    secret: str
    """The key itself, for `Authorization: Bearer`: only its hash is stored, so keep it now"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class KeysRevokeAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    key: ApiKey
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class BrandsListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    brands: list[BrandSettings]
    """All of them"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class BrandsUpsertAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    brand: BrandSettings
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class DomainsDeleteAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    deleted: Literal[True]
    """It is gone"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class StatsSendsQuery(TypedDict):
    """What stats.sends takes beside its path"""

    period: NotRequired[Literal['24h', '7d', '30d']]
    """24h: by the hour; 7d and 30d: by the day"""
    timezone: NotRequired[str]
    """Whose days are counted. A zone half an hour off has the hour in which its day begins in the day before"""
    by: NotRequired[Literal['domain', 'receiver']]
    """Also by the domain that emails are from, or by receiver, 50 rows at most"""


class StatsContactsQuery(TypedDict):
    """What stats.contacts takes beside its path"""

    period: NotRequired[Literal['24h', '7d', '30d']]
    """24h: by the hour; 7d and 30d: by the day"""
    timezone: NotRequired[str]
    """Whose days are counted. A zone half an hour off has the hour in which its day begins in the day before"""


class Contacts(TypedDict):
    """How many there are now"""

    all: int
    """As many as the project has"""
    subscribed: int
    """Of these, with the status subscribed"""


class StatsContactsAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    bucket: Literal['hour', 'day']
    """How long each of `counts` is"""
    counts: list[ContactGrowth]
    """Oldest first, without gaps"""
    totals: ContactGrowthTotals
    contacts: Contacts
    """How many there are now"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class AttentionListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    items: list[AttentionItem]
    """What keeps email from leaving first"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class VocabularyGetAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    tags: list[UsedTag]
    """By name"""
    sources: list[str]
    """Where contacts come from, by name"""
    attributes: list[UsedAttribute]
    """Those that most of the sample have first"""
    sampledContacts: int
    """How large the sample was"""
    eventTypes: list[SeenEventType]
    """The latest first"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class PagesShowConfirmQuery(TypedDict):
    """What pages.showConfirm takes beside its path"""

    c: str
    """The confirmation"""
    t: str
    """Its token"""


class PagesConfirmQuery(TypedDict):
    """What pages.confirm takes beside its path"""

    c: str
    """The confirmation"""
    t: str
    """Its token"""


class PagesShowUnsubscribeQuery(TypedDict):
    """What pages.showUnsubscribe takes beside its path"""

    c: str
    """The contact"""
    t: str
    """Its token"""
    s: NotRequired[str]
    """The send that the link was in; advisory"""
    topic: NotRequired[str]
    """The key of the topic that it is about"""


class PagesUnsubscribeQuery(TypedDict):
    """What pages.unsubscribe takes beside its path"""

    c: str
    """The contact"""
    t: str
    """Its token"""
    s: NotRequired[str]
    """The send that the link was in; advisory"""
    topic: NotRequired[str]
    """The key of the topic that it is about"""


class PagesResubscribeQuery(TypedDict):
    """What pages.resubscribe takes beside its path"""

    c: str
    """The contact"""
    t: str
    """Its token"""
    s: NotRequired[str]
    """The send that the link was in; advisory"""
    topic: NotRequired[str]
    """The key of the topic that it is about"""


class PagesShowPreferencesQuery(TypedDict):
    """What pages.showPreferences takes beside its path"""

    c: str
    """The contact"""
    t: str
    """Its token"""
    s: NotRequired[str]
    """The send that the link was in; advisory"""
    topic: NotRequired[str]
    """The key of the topic that it is about"""


class PagesSetPreferenceQuery(TypedDict):
    """What pages.setPreference takes beside its path"""

    c: str
    """The contact"""
    t: str
    """Its token"""
    s: NotRequired[str]
    """The send that the link was in; advisory"""
    topic: NotRequired[str]
    """The key of the topic that it is about"""
    on: NotRequired[str]
    """`true` turns it on, `false` off"""


class InboundReportByMailAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    received: int
    """Events in the body that are about deliveries"""
    matched: int
    """Those of them that are about an email of this project"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


InboundReportBody: TypeAlias = GenericProviderEvent | dict[str, Any] | list[dict[str, Any]]


class InboundReportAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    received: int
    """Events in the body that are about deliveries"""
    matched: int
    """Those of them that are about an email of this project"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class ServiceHealthAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    status: Literal['ok']
    """The process lives"""
    version: str
    """Of the program"""
    uptimeSeconds: int
    """Since when it lives"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class ServicePostHealthAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    status: Literal['ok']
    """The process lives"""
    version: str
    """Of the program"""
    uptimeSeconds: int
    """Since when it lives"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class ServiceReadyAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    checks: ReadinessChecks
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class ServiceOpenapiAnswer(TypedDict):
    openapi: str
    """The version of OpenAPI"""


class ContactTopicsChangedWebhook(TypedDict):
    """`contact.topics_changed`: what a webhook says"""

    id: str
    """Of the event: the same for all endpoints"""
    type: Literal['contact.topics_changed']
    """What happened"""
    timestamp: str
    """When it happened"""
    data: ContactTopicsEvent


class ContactConfirmedWebhook(TypedDict):
    """`contact.confirmed`: what a webhook says"""

    id: str
    """Of the event: the same for all endpoints"""
    type: Literal['contact.confirmed']
    """What happened"""
    timestamp: str
    """When it happened"""
    data: ContactConfirmedEvent


class EmailSentWebhook(TypedDict):
    """`email.sent`: what a webhook says"""

    id: str
    """Of the event: the same for all endpoints"""
    type: Literal['email.sent']
    """What happened"""
    timestamp: str
    """When it happened"""
    data: EmailEvent


class EmailDeliveredWebhook(TypedDict):
    """`email.delivered`: what a webhook says"""

    id: str
    """Of the event: the same for all endpoints"""
    type: Literal['email.delivered']
    """What happened"""
    timestamp: str
    """When it happened"""
    data: EmailEvent


class EmailOpenedWebhook(TypedDict):
    """`email.opened`: what a webhook says"""

    id: str
    """Of the event: the same for all endpoints"""
    type: Literal['email.opened']
    """What happened"""
    timestamp: str
    """When it happened"""
    data: EmailEvent


class EmailClickedWebhook(TypedDict):
    """`email.clicked`: what a webhook says"""

    id: str
    """Of the event: the same for all endpoints"""
    type: Literal['email.clicked']
    """What happened"""
    timestamp: str
    """When it happened"""
    data: EmailClickedEvent


class EmailBouncedWebhook(TypedDict):
    """`email.bounced`: what a webhook says"""

    id: str
    """Of the event: the same for all endpoints"""
    type: Literal['email.bounced']
    """What happened"""
    timestamp: str
    """When it happened"""
    data: EmailBouncedEvent


class EmailComplainedWebhook(TypedDict):
    """`email.complained`: what a webhook says"""

    id: str
    """Of the event: the same for all endpoints"""
    type: Literal['email.complained']
    """What happened"""
    timestamp: str
    """When it happened"""
    data: EmailEvent


class SequenceCompletedWebhook(TypedDict):
    """`sequence.completed`: what a webhook says"""

    id: str
    """Of the event: the same for all endpoints"""
    type: Literal['sequence.completed']
    """What happened"""
    timestamp: str
    """When it happened"""
    data: SequenceCompletedEvent


class DomainVerifiedWebhook(TypedDict):
    """`domain.verified`: what a webhook says"""

    id: str
    """Of the event: the same for all endpoints"""
    type: Literal['domain.verified']
    """What happened"""
    timestamp: str
    """When it happened"""
    data: DomainEvent


class DomainFailingWebhook(TypedDict):
    """`domain.failing`: what a webhook says"""

    id: str
    """Of the event: the same for all endpoints"""
    type: Literal['domain.failing']
    """What happened"""
    timestamp: str
    """When it happened"""
    data: DomainEvent


class WebhookPingWebhook(TypedDict):
    """`webhook.ping`: what a webhook says"""

    id: str
    """Of the event: the same for all endpoints"""
    type: Literal['webhook.ping']
    """What happened"""
    timestamp: str
    """When it happened"""
    data: PingEvent


class InvalidRequest(TypedDict):
    """A request that is not as the document says"""

    ok: Literal[False]
    """It was refused, or failed"""
    error: str
    """For people; it may change"""
    code: str
    """Stable; branch on it"""
    issues: list[Issue]
    """Every problem, the first of which `error` names"""
    warnings: NotRequired[list[Warning]]
    """Fields and query parameters that are not known: what is required may stand there under another name"""


class InvalidContent(TypedDict):
    """Content that cannot be compiled"""

    ok: Literal[False]
    """It was refused, or failed"""
    error: str
    """For people; it may change"""
    code: str
    """Stable; branch on it"""
    issues: list[Issue]
    """Every problem, the first of which `error` names"""


class UnknownTemplates(TypedDict):
    """Templates that the project does not have"""

    ok: Literal[False]
    """It was refused, or failed"""
    error: str
    """For people; it may change"""
    code: str
    """Stable; branch on it"""
    issues: list[Issue]
    """Each with the step that names it"""


class InvalidGraph(TypedDict):
    """A flow graph that cannot run"""

    ok: Literal[False]
    """It was refused, or failed"""
    error: str
    """For people; it may change"""
    code: str
    """Stable; branch on it"""
    issues: list[GraphIssue]
    """Every problem; `error` names them all"""


class EnrollFailed(TypedDict):
    """A contact that cannot be enrolled now"""

    ok: Literal[False]
    """It was refused, or failed"""
    error: str
    """For people; it may change"""
    code: str
    """Stable; branch on it"""
    reason: EnrollRefusal


class NotReady(TypedDict):
    """Something that is needed does not answer"""

    ok: Literal[False]
    """It was refused, or failed"""
    error: str
    """For people; it may change"""
    code: str
    """Stable; branch on it"""
    checks: ReadinessChecks


class ContactInput(TypedDict):
    """What is omitted stays as it is"""

    email: Email
    id: NotRequired[str | None]
    """Honored on insert only"""
    status: NotRequired[ContactStatus | None]
    """subscribed on insert, where the brand has double opt-in `pending`; left as it is on an existing contact. `pending` asks the person to confirm by an email where the brand has a confirmation template that is enabled, at most once an hour"""
    resubscribe: NotRequired[bool | None]
    """Must be true to move a contact out of unsubscribed or bounced, and to turn a topic on that is off"""
    brand: NotRequired[str | None]
    """Of a new contact: a brand's slug, the project's default when omitted. An existing one keeps its brand"""
    source: NotRequired[str | None]
    """Where the contact comes from; your own word"""
    firstName: NotRequired[str | None]
    """null clears"""
    lastName: NotRequired[str | None]
    """null clears"""
    displayName: NotRequired[str | None]
    """null clears"""
    tags: NotRequired[list[str] | None]
    """Replaces the tags; [] clears them"""
    timezone: NotRequired[str | None]
    """IANA name, like Europe/Berlin"""
    locale: NotRequired[str | None]
    """BCP 47, like de-CH"""
    attributes: NotRequired[dict[str, JsonValue] | None]
    """Merged into what the contact has, where 100 keys and 16 KB are possible; a null value removes its key. At most 64 KB"""
    topics: NotRequired[dict[str, bool] | None]
    """Topics that the person chose; the others stay as they are. What is off stays off unless `resubscribe` is true: a sign-up form says the same of everybody, and takes nobody's no back"""
    consent: NotRequired[Consent | None]
    """What shows that the person agreed. Without it the record of a new contact has `source` and the address and user agent of the calling request: those of your backend, so hand over the person's. On an existing contact nothing else rewrites the record, which GET /contacts/:id shows"""


class Contact(TypedDict):
    """A person of the project"""

    id: str
    """Stays the same for good"""
    email: str
    """Unique in the project"""
    first_name: str | None
    """null: not known"""
    last_name: str | None
    """null: not known"""
    display_name: str | None
    """How the person wants to be called; null: not known"""
    status: ContactStatus
    brand_id: str
    """The slug of the contact's brand"""
    source: str
    """Where the contact comes from"""
    tags: list[str]
    """Each once, in the order in which they were given"""
    timezone: str | None
    """IANA name; null: not known"""
    locale: str | None
    """BCP 47; null: not known"""
    attributes: dict[str, JsonValue]
    """Fields of your own"""
    topics: dict[str, bool]
    """What the person chose, by the key of the topic. One that is not here is on or off as its `defaultOn` says"""
    created_at: Timestamp
    """When it was made"""
    updated_at: Timestamp
    """When it last changed"""


class ListedContact(TypedDict):
    """A person of the project, and whether the address is suppressed"""

    id: str
    """Stays the same for good"""
    email: str
    """Unique in the project"""
    first_name: str | None
    """null: not known"""
    last_name: str | None
    """null: not known"""
    display_name: str | None
    """How the person wants to be called; null: not known"""
    status: ContactStatus
    brand_id: str
    """The slug of the contact's brand"""
    source: str
    """Where the contact comes from"""
    tags: list[str]
    """Each once, in the order in which they were given"""
    timezone: str | None
    """IANA name; null: not known"""
    locale: str | None
    """BCP 47; null: not known"""
    attributes: dict[str, JsonValue]
    """Fields of your own"""
    topics: dict[str, bool]
    """What the person chose, by the key of the topic. One that is not here is on or off as its `defaultOn` says"""
    created_at: Timestamp
    """When it was made"""
    updated_at: Timestamp
    """When it last changed"""
    suppressed: SuppressionReason | None
    """Why its address gets no email at all, whatever the status; null: it is not suppressed"""


class ContactWithConsent(TypedDict):
    """A person of the project with what shows that the person agreed"""

    id: str
    """Stays the same for good"""
    email: str
    """Unique in the project"""
    first_name: str | None
    """null: not known"""
    last_name: str | None
    """null: not known"""
    display_name: str | None
    """How the person wants to be called; null: not known"""
    status: ContactStatus
    brand_id: str
    """The slug of the contact's brand"""
    source: str
    """Where the contact comes from"""
    tags: list[str]
    """Each once, in the order in which they were given"""
    timezone: str | None
    """IANA name; null: not known"""
    locale: str | None
    """BCP 47; null: not known"""
    attributes: dict[str, JsonValue]
    """Fields of your own"""
    topics: dict[str, bool]
    """What the person chose, by the key of the topic. One that is not here is on or off as its `defaultOn` says"""
    created_at: Timestamp
    """When it was made"""
    updated_at: Timestamp
    """When it last changed"""
    suppressed: SuppressionReason | None
    """Why its address gets no email at all, whatever the status; null: it is not suppressed"""
    consent_source: str | None
    """Where the person agreed"""
    consent_ip: str | None
    """From which address"""
    consent_user_agent: str | None
    """With which browser or program"""
    consent_at: Timestamp | None
    """When it was recorded"""
    confirmation: ContactConfirmation | None
    """Whether the person was asked to confirm the sign-up; null: never"""


class EnrollmentStep(TypedDict):
    """One visit of a node"""

    number: int
    """Its place in the run, from 1"""
    node_id: str
    """The node"""
    kind: NodeKind
    at: Timestamp
    """When it was reached"""
    outcome: str | None
    """Like sent, skipped, failed, waited, timeout, or the key of a branch; null: it stands there"""
    detail: str | None
    """What happened, in words"""


class PersonalSend(TypedDict):
    """An email to the person, as GET /sends/:id shows it but for other people: `bcc` and `left_out` are not in it, nor what the provider reported about copies, and `error` is the reason alone where the words of the mail server have an address of somebody else"""

    id: str
    """Of this row; `provider_id` is the provider's"""
    contact_id: str | None
    """null for transactional email to an address without a contact"""
    brand_id: str
    """The brand's slug"""
    to_email: str
    """The recipient"""
    template: str | None
    """The key of the template; null: the call brought the content itself"""
    type: SendType
    subject: str
    """"" when it was not rendered"""
    status: SendStatus
    error: str | None
    """Why it failed, the `reason` first; null when it was sent"""
    delivery_status: Literal['queued', 'delivered', 'bounced', 'complained'] | None
    """The furthest that the provider reported; null: nothing yet"""
    provider_id: str | None
    """The `id` that POST /send answered; null when it failed"""
    provider: str | None
    """The name of the mail provider that was asked; null: none was, or it was sent by a version that did not note it"""
    source_type: SendSource
    source_id: str | None
    """The id of that campaign or sequence"""
    first_opened_at: Timestamp | None
    """null: not opened, or not tracked"""
    open_count: int
    """How often it was opened"""
    first_clicked_at: Timestamp | None
    """null: not clicked, or not tracked"""
    click_count: int
    """How often a link was clicked"""
    last_event_at: Timestamp | None
    """When anything was last reported"""
    sandboxed: bool
    """It never left: asked for with a test key, of a sandbox, or to an address of everpost.test"""
    created_at: Timestamp
    """When it was made"""
    send_at: Timestamp | None
    """Of a scheduled one: when it is to go"""
    retried_as: str | None
    """Of a failed one that was sent again: the row that follows it, 404 until it has its outcome, and for good where a campaign skipped the recipient then"""
    retry_of: str | None
    """The failed row that this one follows"""
    cc: list[str]
    """Who was to get a copy and is named in it"""
    topic: str | None
    """The key of the topic that the call or the step named; null: none. That of a campaign is in its record"""
    tags: list[str]
    """Those of the call"""
    metadata: dict[str, str]
    """Those of the call"""
    enrollment_id: str | None
    """The run of the sequence that sent it"""
    variant: str | None
    """The arm of a campaign with a test"""
    locale: str | None
    """The language of the template that it is in; null: the default"""
    closed_at: Timestamp | None
    """When it had its outcome"""
    reply_to: str | None
    """Where answers go as the call says it; null: the brand's, or the sender"""
    headers: dict[str, str]
    """Those that the call set"""
    attachments: list[SentAttachment]
    """Its files, in the order of the call"""
    bounce: Bounce | None
    """Why it came back; null when it did not"""
    events: list[SendEvent]
    """What the provider reported, in the order in which it happened; kept for 90 days"""
    hits: list[PersonalHit]
    """What was done with it, by its image and its links, in the order of the last time; kept for 90 days"""


class PersonalCopy(TypedDict):
    """An email to somebody else with a copy to the person: fields of GET /sends/:id, with those `events` that are about the person. What became of it for others, `bcc`, and what the call noted of its recipient are not in it"""

    id: str
    """Of this row; `provider_id` is the provider's"""
    to_email: str
    """The recipient"""
    cc: list[str]
    """Who was to get a copy and is named in it"""
    brand_id: str
    """The brand's slug"""
    template: str | None
    """The key of the template; null: the call brought the content itself"""
    type: SendType
    subject: str
    """"" when it was not rendered"""
    status: SendStatus
    provider_id: str | None
    """The `id` that POST /send answered; null when it failed"""
    provider: str | None
    """The name of the mail provider that was asked; null: none was, or it was sent by a version that did not note it"""
    source_type: SendSource
    source_id: str | None
    """The id of that campaign or sequence"""
    sandboxed: bool
    """It never left: asked for with a test key, of a sandbox, or to an address of everpost.test"""
    created_at: Timestamp
    """When it was made"""
    send_at: Timestamp | None
    """Of a scheduled one: when it is to go"""
    topic: str | None
    """The key of the topic that the call or the step named; null: none. That of a campaign is in its record"""
    locale: str | None
    """The language of the template that it is in; null: the default"""
    reply_to: str | None
    """Where answers go as the call says it; null: the brand's, or the sender"""
    headers: dict[str, str]
    """Those that the call set"""
    attachments: list[SentAttachment]
    """Its files, in the order of the call"""
    events: list[SendEvent]
    """What the provider reported, in the order in which it happened; kept for 90 days"""
    role: Literal['cc', 'bcc']
    """bcc: the others do not see that the person gets it"""
    left_out: LeftOut | None
    """Why the person did not get it, while the email went; null: nothing says that"""


class ImportForm(TypedDict):
    """A form with one file, and how it is read"""

    settings: NotRequired[ImportSettings]
    file: str
    """The CSV, with a filename"""


class Problem(TypedDict):
    row: int
    """From 1, the names of the columns not counted"""
    column: str | None
    """The name of the column; null: it is about the row"""
    reason: RowRefusal
    message: str
    """In words; not kept of who was erased"""


class Import(TypedDict):
    """A file of contacts that is imported"""

    id: str
    """Stays the same for good"""
    status: Literal['running', 'paused', 'completed', 'cancelled', 'failed']
    """`failed`: `error` says why the file could not be read on; what was imported before stays"""
    dry_run: bool
    """It writes nothing"""
    filename: str
    """As it was uploaded"""
    size: int
    """Bytes of the file"""
    read: int
    """Bytes that are done"""
    columns: list[ImportColumn]
    """Of the file, in its order"""
    rows: int
    """Rows that are done"""
    inserted: int
    """Rows that became contacts"""
    updated: int
    """Rows that changed a contact, or suppressed its address"""
    unchanged: int
    """Rows that said nothing new, or of whom `onExisting` is `skip`"""
    refused: int
    """Rows that were refused: GET /imports/:id/refused has them"""
    reasons: dict[str, int]
    """How many were refused for each reason"""
    problems: list[Problem]
    """The first hundred rows that were refused"""
    error: str | None
    """Of a failed one: why"""
    created_at: Timestamp
    """When it was made"""
    ended_at: Timestamp | None
    """null: it runs, or is paused"""
    workflow_id: str
    """The workflow id in Temporal"""


class SendCheckInput(TypedDict):
    """Which email, and to whom"""

    recipients: list[SendCheckRecipient]
    """Whom the emails would be to"""
    template: NotRequired[str | None]
    """Whose type the email has; required without `type`"""
    type: NotRequired[SendType | None]
    """The template's own when omitted"""
    topic: NotRequired[str | None]
    """The key of the topic that a marketing email is of: it goes to those alone who have it on, and its unsubscribe link leaves the topic"""


class HeadingBlock(TypedDict):
    """A headline"""

    type: Literal['heading']
    """The kind of block"""
    text: str
    """Liquid"""
    level: NotRequired[int | None]
    """1 when omitted"""
    align: NotRequired[Literal['left', 'center', 'right'] | None]
    """Where it stands"""
    color: NotRequired[TemplateColor | None]
    """Of its text"""
    background: NotRequired[TemplateColor | None]
    """Behind its text; the text is light or dark by it unless `color` says otherwise"""
    spaceAbove: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    spaceBelow: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    showIf: NotRequired[TemplateDataPath | None]
    """Shown when this path has a value: not missing, null, false or empty"""


class TableBlock(TypedDict):
    """A table with a row for each member of an array; without members it is left out"""

    type: Literal['table']
    """The kind of block"""
    rows: TemplateDataPath
    """Data path to an array; one row for each member"""
    columns: list[TableColumn]
    """From left to right"""
    spaceAbove: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    spaceBelow: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    showIf: NotRequired[TemplateDataPath | None]
    """Shown when this path has a value: not missing, null, false or empty"""


TemplateColumnBlock: TypeAlias = HeadingBlock | TextBlock | ButtonBlock | ImageBlock | DividerBlock | SpacerBlock | ListBlock | TableBlock | QuoteBlock | CodeBlock
"""A block that may stand in a column"""


class TemplateLanguage(TypedDict):
    """A template in one language"""

    locale: str | None
    """Its BCP 47 tag; null: the default, which everybody gets for whom none is nearer"""
    published: TemplateLanguageVersion | None
    """What emails say; null: nothing yet, of the default what the template ships with"""
    draft: TemplateLanguageVersion | None
    """null: there is none"""
    ships: bool
    """Whether the template comes with it: emails say that until something is published"""
    behind: bool
    """Whether the default was published after it, or it says nothing yet; false of the default"""


Audience: TypeAlias = EntireAudience | SegmentAudience | TagAudience | PeopleAudience
"""Who is meant: all contacts, those of a segment, those with a tag, or the people of a list"""


SendWindowChoice: TypeAlias = Literal['none'] | SendWindowInput
"""A window of its own in place of the project's, or `none`: it waits for no window"""


class CampaignDraftInput(TypedDict):
    """What is known already of a campaign that is to be launched later"""

    name: NotRequired[str | None]
    """For your own lists; no recipient sees it"""
    subject: NotRequired[str | None]
    """Liquid; the template's own when omitted or empty"""
    type: NotRequired[SendType | None]
    """The template's own when omitted"""
    brand: NotRequired[str | None]
    """Whom it comes from; the project's default when omitted. Contacts of all brands get it"""
    scheduleAt: NotRequired[Timestamp | None]
    """Omitted: at once. Up to 60 s in the past counts as now"""
    schedule: NotRequired[LocalScheduleInput | None]
    """Instead of `scheduleAt`: a time of the day that the clock of each recipient shows"""
    endsAt: NotRequired[Timestamp | None]
    """Nothing is sent after this instant, which is after the start; the rest counts as skipped"""
    ratePerSecond: NotRequired[int | None]
    """Emails a second at most; as fast as it goes when omitted"""
    sendWindow: NotRequired[SendWindowChoice | None]
    """Hours in which it goes, in place of the project's window; `none`: at any time. The project's when omitted"""
    topic: NotRequired[str | None]
    """The key of the topic that a marketing email is of: it goes to those alone who have it on, and its unsubscribe link leaves the topic"""
    variants: NotRequired[list[CampaignVariantInput] | None]
    """Arms of a test, whose keys differ. Each contact has its arm for good"""
    test: NotRequired[CampaignTestInput | None]
    """The variants are tried on a part; all get them by their weights when omitted"""
    goal: NotRequired[CampaignGoalInput | None]
    """Whose conversions GET /campaigns/:id/results counts; can be changed at any time"""
    template: NotRequired[str | None]
    """The key of a template"""
    audience: NotRequired[Audience | None]
    """Whom it is for"""
    data: NotRequired[dict[str, JsonValue] | None]
    """Template variables; an unknown path renders empty. At most 256 KB"""
    copyOf: NotRequired[str | None]
    """A campaign of the project, whatever became of it: all that it was made with but its times. What else the body has goes before"""


SendWindowChosen: TypeAlias = Literal['none'] | SendWindow
"""A window of its own, or `none`: it waits for no window"""


CampaignAudience: TypeAlias = EntireAudience | SegmentAudience | TagAudience | CountedPeopleAudience
"""Whom it is for, as it was given; of the people of a list only how many they are. Of a draft that does not say it yet 0 people"""


class CampaignDecision(TypedDict):
    """What the rest gets, and why"""

    winner: str
    """The variant that the rest gets"""
    reason: CampaignDecisionReason
    at: Timestamp
    """When it was decided"""
    variants: list[TriedVariant]
    """As they stood then"""


class CampaignDraft(TypedDict):
    """What else there is to know of a campaign that can be changed still"""

    version: int
    """Goes up with each change; for `ifVersion` of what changes, approves and launches it"""
    changed_at: Timestamp | None
    """When it was changed last; null: not since it was scheduled"""
    needs_approval: bool
    """It is not sent before another key than that of the last change has approved it"""
    approved_at: Timestamp | None
    """When it was approved as it is; null: it was not"""
    changed_by: NamedKey | None
    """Whose change that was"""
    subject: str | None
    """As it was given; null: the template's own"""
    type: SendType | None
    """As it was given; null: the template's own"""
    brand: str | None
    """As it was given; null: the project's default"""
    approved_by: NamedKey | None
    """Who approved it"""


class CampaignChange(TypedDict):
    """What is omitted stays as it is; null takes out what was there"""

    name: NotRequired[str | None]
    """For your own lists; no recipient sees it"""
    subject: NotRequired[str | None]
    """Liquid; the template's own when omitted or empty"""
    type: NotRequired[SendType | None]
    """The template's own when omitted"""
    brand: NotRequired[str | None]
    """Whom it comes from; the project's default when omitted. Contacts of all brands get it"""
    scheduleAt: NotRequired[Timestamp | None]
    """Omitted: at once. Up to 60 s in the past counts as now"""
    schedule: NotRequired[LocalScheduleInput | None]
    """Instead of `scheduleAt`: a time of the day that the clock of each recipient shows"""
    endsAt: NotRequired[Timestamp | None]
    """Nothing is sent after this instant, which is after the start; the rest counts as skipped"""
    ratePerSecond: NotRequired[int | None]
    """Emails a second at most; as fast as it goes when omitted"""
    sendWindow: NotRequired[SendWindowChoice | None]
    """Hours in which it goes, in place of the project's window; `none`: at any time. The project's when omitted"""
    topic: NotRequired[str | None]
    """The key of the topic that a marketing email is of: it goes to those alone who have it on, and its unsubscribe link leaves the topic"""
    variants: NotRequired[list[CampaignVariantInput] | None]
    """Arms of a test, whose keys differ. Each contact has its arm for good"""
    test: NotRequired[CampaignTestInput | None]
    """The variants are tried on a part; all get them by their weights when omitted"""
    goal: NotRequired[CampaignGoalInput | None]
    """Whose conversions GET /campaigns/:id/results counts; can be changed at any time"""
    template: NotRequired[str | None]
    """The key of a template"""
    audience: NotRequired[Audience | None]
    """Whom it is for"""
    data: NotRequired[dict[str, JsonValue] | None]
    """Template variables; an unknown path renders empty. At most 256 KB"""


class CampaignLaunchInput(TypedDict):
    """When it begins"""

    scheduleAt: NotRequired[Timestamp | None]
    """In place of the draft's own; null: at once. Up to 60 s in the past counts as now"""
    schedule: NotRequired[LocalScheduleInput | None]
    """In place of the draft's own times: a time of the day that the clock of each recipient shows"""
    sendWindow: NotRequired[SendWindowChoice | None]
    """In place of the draft's own: hours in which it goes, or `none`; null: the project's"""
    ifEnrolled: NotRequired[int | None]
    """So many are to get it, as somebody was shown: 409 `audience_changed` when it is another number by now"""
    ifAudience: NotRequired[str | None]
    """These very addresses are to get it, by the `digest` of GET /campaigns/:id/audience: 409 `audience_changed` when they are others by now. A campaign that begins later is compared now, and goes to whoever is in its audience then"""


class HitsOverTime(TypedDict):
    """When its recipients opened and clicked for the first time"""

    bucket: Literal['hour', 'day']
    """How long each of `counts` is"""
    counts: list[FirstHits]
    """From its begin on, without gaps; what comes later stands in the funnel alone"""


class VariantPhases(TypedDict):
    """What one arm came to in its test and after it"""

    test: VariantPhase
    """Whom it was tried on"""
    rest: VariantPhase
    """Who got it as the winner"""


class CampaignVerdict(TypedDict):
    """What a test tells"""

    decideBy: Literal['opens', 'clicks', 'goal', 'hand']
    """What counts as a hit; of `hand` nothing does, and nothing is judged"""
    variants: list[VariantTried]
    """In their order"""
    leader: str | None
    """The variant with the highest rate now: of several the default, else the first. null: all are equal, or it is decided by hand"""
    reason: Literal['significant', 'not_significant', 'small_sample'] | None
    """What the test tells now; the rest gets the default unless it is `significant` when it is decided. null: it is decided by hand"""
    p: float | None
    """null: too few people, or it is decided by hand"""


class CampaignRetryInput(TypedDict):
    """To whom a campaign goes again"""

    outcomes: list[RecipientFailure]
    """Why their emails failed"""


class RecurringCampaignInput(TypedDict):
    """What goes to whom, and when again and again"""

    recurrence: RecurrenceInput
    template: str
    """The key of a template"""
    audience: Audience
    name: NotRequired[str | None]
    """For your own lists; no recipient sees it"""
    subject: NotRequired[str | None]
    """Liquid; the template's own when omitted or empty"""
    type: NotRequired[SendType | None]
    """The template's own when omitted"""
    data: NotRequired[dict[str, JsonValue] | None]
    """Template variables; an unknown path renders empty. At most 256 KB"""
    brand: NotRequired[str | None]
    """Whom it comes from; the project's default when omitted. Contacts of all brands get it"""
    ratePerSecond: NotRequired[int | None]
    """Emails a second at most; as fast as it goes when omitted"""
    sendWindow: NotRequired[SendWindowChoice | None]
    """Hours in which it goes, in place of the project's window; `none`: at any time. The project's when omitted"""
    topic: NotRequired[str | None]
    """The key of the topic that a marketing email is of: it goes to those alone who have it on, and its unsubscribe link leaves the topic"""
    variants: NotRequired[list[CampaignVariantInput] | None]
    """Arms of a test, whose keys differ. Each contact has its arm for good"""
    test: NotRequired[CampaignTestInput | None]
    """The variants are tried on a part; all get them by their weights when omitted"""
    goal: NotRequired[CampaignGoalInput | None]
    """Whose conversions GET /campaigns/:id/results counts; can be changed at any time"""
    endsAfterMinutes: NotRequired[int | None]
    """Nothing of a campaign is sent so many minutes after the instant that it is for; null: until all of it is sent"""


class RecurringRun(TypedDict):
    """What became of one instant"""

    due_at: Timestamp
    """The instant of the rule"""
    outcome: RecurringRunOutcome
    reason: Literal['empty_audience', 'unknown_segment', 'unknown_template', 'template_not_enabled', 'no_brand', 'invalid_from', 'unknown_topic', 'project_suspended', 'email_unverified', 'approval_required', 'later_run_due', 'ends_at_reached', 'changed', 'paused', 'deleted'] | None
    """Of `not_created`: empty_audience, unknown_segment, unknown_topic, project_suspended, email_unverified, approval_required or a code of the template. Of `missed`: later_run_due (a later one was due as well when it could be made), ends_at_reached (its campaign would have been over), or changed, paused or deleted before it was made"""
    campaign_id: str | None
    """The campaign that was made; null: none was"""


class RecurringCampaign(TypedDict):
    """A campaign that is made again and again, each time for its audience of that day"""

    id: str
    """Stays the same for good"""
    name: str
    """Empty when none was given. Its campaigns are called by it, or by the template, and their day"""
    status: RecurringCampaignStatus
    recurrence: Recurrence
    in_words: str
    """The rule in words"""
    next_runs: list[Timestamp]
    """The next 5 at most, without those that are skipped; of one that is paused, as if it was resumed now"""
    last_run: RecurringRun | None
    """The latest instant that has come and has an outcome; null: none has"""
    campaigns: int
    """How many were made"""
    template: str
    """The key of the template"""
    subject: str | None
    """As it was given; null: the template's own"""
    type: SendType | None
    """As it was given; null: the template's own"""
    brand: str | None
    """As it was given; null: the project's default"""
    audience: CampaignAudience
    variants: list[GivenVariant] | None
    """null: no test"""
    test: RecurringCampaignTest | None
    """How each of its campaigns tries them; null: they go to all"""
    rate_per_second: int | None
    """null: as fast as it goes"""
    send_window: SendWindowChosen | None
    """`none`: its campaigns wait for no window; null: for the project's"""
    topic: str | None
    """The key of its topic; null: of none"""
    goal: CampaignGoal | None
    """null: it has none"""
    ends_after_minutes: int | None
    """Nothing of a campaign is sent so many minutes after the instant that it is for; null: until all of it is sent"""
    sandboxed: bool
    """A test key asked for it: no email of its campaigns leaves"""
    version: int
    """Goes up with each change; for `ifVersion`"""
    created_at: Timestamp
    """When it was made"""
    changed_at: Timestamp
    """When it was changed last"""
    needs_approval: bool
    """The project has campaigns approved: no campaign is made before another key than that of the last change has approved it"""
    approved_at: Timestamp | None
    """When it was approved as it is; null: it was not"""
    ended_at: Timestamp | None
    """null: it has not ended"""
    end_reason: Literal['deleted', 'until', 'count'] | None
    """`deleted`: by DELETE; `until` and `count`: of its rule"""
    schedule_id: str
    """The id of its Schedule in Temporal"""


class RecurringCampaignChange(TypedDict):
    """What is omitted stays as it is; null takes out what was there"""

    recurrence: NotRequired[RecurrenceInput | None]
    """When it runs, as a whole"""
    template: NotRequired[str | None]
    """The key of a template"""
    audience: NotRequired[Audience | None]
    """Whom it is for"""
    name: NotRequired[str | None]
    """For your own lists; no recipient sees it"""
    subject: NotRequired[str | None]
    """Liquid; the template's own when omitted or empty"""
    type: NotRequired[SendType | None]
    """The template's own when omitted"""
    data: NotRequired[dict[str, JsonValue] | None]
    """Template variables; an unknown path renders empty. At most 256 KB"""
    brand: NotRequired[str | None]
    """Whom it comes from; the project's default when omitted. Contacts of all brands get it"""
    ratePerSecond: NotRequired[int | None]
    """Emails a second at most; as fast as it goes when omitted"""
    sendWindow: NotRequired[SendWindowChoice | None]
    """Hours in which it goes, in place of the project's window; `none`: at any time. The project's when omitted"""
    topic: NotRequired[str | None]
    """The key of the topic that a marketing email is of: it goes to those alone who have it on, and its unsubscribe link leaves the topic"""
    variants: NotRequired[list[CampaignVariantInput] | None]
    """Arms of a test, whose keys differ. Each contact has its arm for good"""
    test: NotRequired[CampaignTestInput | None]
    """The variants are tried on a part; all get them by their weights when omitted"""
    goal: NotRequired[CampaignGoalInput | None]
    """Whose conversions GET /campaigns/:id/results counts; can be changed at any time"""
    endsAfterMinutes: NotRequired[int | None]
    """Nothing of a campaign is sent so many minutes after the instant that it is for; null: until all of it is sent"""


class SequenceInput(TypedDict):
    """A sequence of emails, one after the other"""

    key: SequenceKey
    name: str
    """For your own lists; no recipient sees it"""
    steps: list[SequenceStep]
    """In their order"""
    status: NotRequired[SequenceStatus | None]
    """draft when omitted"""
    trigger: NotRequired[str | EnteredSegment | EnteredDate | None]
    """The event type that enrolls, the segment of which becoming a member does, or the date of each contact on which it enters"""
    brand: NotRequired[str | None]
    """Of all its emails: a brand's slug, each contact's when omitted"""
    frequencyCap: NotRequired[FrequencyCap | None]
    """None when omitted"""
    sendWindow: NotRequired[SendWindowChoice | None]
    """Hours in which its marketing emails go, in place of the project's window; `none`: at any time. The project's when omitted"""


class SendEmailNode(TypedDict):
    """Sends a template to the contact"""

    id: str
    """Unique in the graph"""
    kind: Literal['send_email']
    """What the node does"""
    label: NotRequired[str]
    """What your lists call it, where what it does says too little"""
    config: SendEmailConfig


class WaitDelayNode(TypedDict):
    """Waits for so long"""

    id: str
    """Unique in the graph"""
    kind: Literal['wait_delay']
    """What the node does"""
    label: NotRequired[str]
    """What your lists call it, where what it does says too little"""
    config: WaitDelayConfig


class WaitUntilConfig3(TypedDict):
    """An event (edges `event` and `timeout`), a condition (edges `met` and `timeout`), or a time (one edge without a key)"""

    time: TimeOfWait


class DigestNode(TypedDict):
    """Gathers the events that would enroll the contact, and goes on once with all of them"""

    id: str
    """Unique in the graph"""
    kind: Literal['digest']
    """What the node does"""
    label: NotRequired[str]
    """What your lists call it, where what it does says too little"""
    config: DigestConfig


class ThrottleNode(TypedDict):
    """Lets so many runs of a contact pass within a time, and drops or delays the others"""

    id: str
    """Unique in the graph"""
    kind: Literal['throttle']
    """What the node does"""
    label: NotRequired[str]
    """What your lists call it, where what it does says too little"""
    config: ThrottleConfig


class SplitNode(TypedDict):
    """Takes one of several arms by weight, the same for a contact in every run"""

    id: str
    """Unique in the graph"""
    kind: Literal['split']
    """What the node does"""
    label: NotRequired[str]
    """What your lists call it, where what it does says too little"""
    config: SplitConfig


class UpdateContactNode(TypedDict):
    """Writes to the contact"""

    id: str
    """Unique in the graph"""
    kind: Literal['update_contact']
    """What the node does"""
    label: NotRequired[str]
    """What your lists call it, where what it does says too little"""
    config: UpdateContactConfig


class WebhookNode(TypedDict):
    """Calls an address of yours, signed by Standard Webhooks 1.0"""

    id: str
    """Unique in the graph"""
    kind: Literal['webhook']
    """What the node does"""
    label: NotRequired[str]
    """What your lists call it, where what it does says too little"""
    config: WebhookNodeConfig


class SubflowNode(TypedDict):
    """Enrolls the contact into another sequence, or waits until that run has ended"""

    id: str
    """Unique in the graph"""
    kind: Literal['subflow']
    """What the node does"""
    label: NotRequired[str]
    """What your lists call it, where what it does says too little"""
    config: SubflowConfig


class EnrollmentAction(TypedDict):
    """What is done with many runs of a sequence by one call"""

    id: str
    """Stays the same for good"""
    sequence_key: str
    """The key of its sequence"""
    action: Literal['move', 'cancel', 'resume', 'retry', 'migrate']
    """What is done; `migrate`: what a PUT of the graph asked for"""
    filter: RunFilter
    """Which runs it was asked for"""
    to: str | None
    """Of a move: the node to which"""
    migrate: dict[str, str | None] | None
    """Of a migration: the new node of those who stand at a node; null: they end"""
    version: int | None
    """In which version those go on that are moved; null: none is"""
    status: Literal['running', 'completed', 'cancelled']
    """`cancelled`: by a call, by an operator, or since the sequence was archived"""
    total: int
    """Runs that matched when it was asked for: no others are touched"""
    done: int
    """With how many it was done so far"""
    skipped: int
    """How many stood otherwise when their turn came, or could not do it"""
    created_at: Timestamp
    """When it was made"""
    ended_at: Timestamp | None
    """null: it runs"""
    workflow_id: str
    """The workflow id in Temporal"""


class NodeFlow(TypedDict):
    """What runs did at one node"""

    id: str
    """Of the node"""
    standing: int
    """Runs that stand there now"""
    visits: int
    """How often a run came there"""
    failed: int
    """How often what the node does failed"""
    mails: MailFlow | None
    """null: the node sends none"""
    leftOut: MailLeftOutCounts | None
    """Runs that went on without its email, by reason; null: the node sends none"""


EdgeFlow = TypedDict(
    'EdgeFlow',
    {
        'from': str,
        'to': str,
        'branchKey': str | None,
        'passed': int,
        'arm': ArmFlow | None,
    },
)


class Digest(TypedDict):
    """What has gathered at a digest, as `digest` of the emails after it"""

    count: int
    """How many"""
    events: list[GatheredEvent]
    """The latest 100 of them, oldest first"""


class SimulatedStep(TypedDict):
    """One node on the way"""

    nodeId: str
    """The node"""
    kind: NodeKind
    detail: NotRequired[str]
    """What happened there, in words"""
    digest: NotRequired[Digest]
    """What has gathered at a digest, as `digest` of the emails after it"""


class SimulateInput(TypedDict):
    """Who goes through, and what is assumed"""

    contactId: NotRequired[str | None]
    """A contact of the project; either this or contact is required"""
    contact: NotRequired[Contact3 | None]
    """A contact that exists only in this request; it counts as id `simulated`"""
    event: NotRequired[Event1 | None]
    """The event that enrolls, and comes again at the first wait; with `events` it comes once"""
    events: NotRequired[list[SimulatedEvent] | None]
    """What comes while the run is under way, each at its instant: a digest gathers it, a wait or the goal may end by it, or it begins a run of its own. Without `event` the first that triggers the sequence enrolls"""
    assume: NotRequired[dict[str, str] | None]
    """Outcomes to take, by node id: a branch key, or sent, skipped, failed of an email, called, failed of a call. Those that a node does not have are refused. At most 64 KB"""
    graph: NotRequired[dict[str, JsonValue] | None]
    """A graph to go through instead of the saved one, as PUT /sequences/:key takes it. At most 256 KB"""
    asIfNotEnrolled: NotRequired[bool | None]
    """true: as if the contact had never entered the sequence; who unsubscribed is refused all the same. false when omitted"""


class SimulatedRun(TypedDict):
    """A run that one of several events begins"""

    at: str
    """When it begins"""
    path: list[SimulatedStep]
    """Every node from the trigger to the last"""
    sends: list[str]
    """The keys of the templates that would be sent"""
    endedBy: Literal['exit', 'goal', 'dead_end', 'hop_guard', 'failed']
    """How it ends"""


class EnrollmentActionInput(TypedDict):
    """What is done with which runs"""

    action: RunAction
    filter: RunFilter
    to: NotRequired[str | None]
    """A node of the current version. A move requires it; of a retry the runs go on there, and not where they failed"""
    dryRun: NotRequired[bool | None]
    """true: nothing is done, and the answer says how many match"""


class EnrollmentWithSteps(TypedDict):
    """One contact's run through one sequence with every node that it visited"""

    id: str
    """The `enrollmentId` that POST enroll answered"""
    sequence_key: str
    """The key of its sequence"""
    sequence_version: int
    """The version of the graph that it goes through"""
    contact_id: str
    """Who goes through"""
    status: EnrollmentStatus
    current_node_id: str | None
    """Where it stands; null once it has ended"""
    waiting_for: Wait | str | None
    """delay, event:<type>, condition, time, subflow, webhook, held:<why>, or null"""
    wakes_at: Timestamp | None
    """When the wait is over at the latest; null: it does not wait for an instant"""
    started_at: Timestamp
    """When the contact entered"""
    ended_at: Timestamp | None
    """null while it is active"""
    end_reason: EndReason | None
    """exit, goal, dead_end or hop_guard of a completed one; cancelled, exit_sequences, archived, terminated or failed of a cancelled one"""
    failed_steps: int
    """How many of its steps failed, like emails that could not be sent; `steps` says why"""
    sandboxed: bool
    """A test key asked for it: none of its emails leaves"""
    workflow_id: str
    """The workflow id in Temporal"""
    cancelled_by_key_id: str | None
    """Which key cancelled it, with DELETE /enrollments/:id or an action over many runs; null: none did, or it was before this was kept"""
    steps: list[EnrollmentStep]
    """Every node visited, trigger and exit included, in order: the last of them, and with `nextCursor` those before"""
    steps_pruned: bool
    """Its steps are not kept any more: it ended over a year ago"""


class WebhookListenerInput(TypedDict):
    """What to listen to, and by which secret it is signed"""

    events: NotRequired[list[WebhookEventType] | None]
    """null or empty: all of them, those of later versions too"""
    secret: NotRequired[str | None]
    """Your own signing secret: whsec_ and the base64 of 24 to 64 bytes, or any text of 16 to 128 characters. Of another text than whsec_… the UTF-8 bytes are the key: libraries of Standard Webhooks take it as raw (`new Webhook(secret, { format: "raw" })`). Made when omitted"""


class ListenerTurn(TypedDict):
    """What is done, and how long to wait for more"""

    done: NotRequired[list[str] | None]
    """The `id` of each delivery that you are done with"""
    answers: NotRequired[list[ListenerAnswer] | None]
    """What your receiver answered, which GET /webhooks/listeners/:id/deliveries then shows. You are done with these, too; the latest 200 are kept"""
    waitSeconds: NotRequired[float | None]
    """How long to wait where nothing has happened: 25 when omitted"""
    limit: NotRequired[int | None]
    """How many at most: 50 when omitted"""


class ListenerDeliveryState(TypedDict):
    """One event on its way by a listener"""

    id: str
    """What `webhook-id` says"""
    event_type: str
    """What happened"""
    payload: WebhookPayload
    status: WebhookDeliveryStatus
    created_at: Timestamp
    """When it was made"""
    attempt_log: list[WebhookAttempt]
    """What was answered; empty: nothing is known of it yet"""


class WebhookAnsweredDelivery(TypedDict):
    """One event on its way to one endpoint, with what was answered to each attempt"""

    id: str
    """What `webhook-id` says"""
    event_type: str
    """What happened"""
    payload: WebhookPayload
    status: WebhookDeliveryStatus
    attempts: int
    """Of the present series, at most 6"""
    response_status: int | None
    """Of the last attempt; null when that had no answer"""
    next_attempt_at: Timestamp
    """The planned instant; once settled, that of the last attempt"""
    created_at: Timestamp
    """When it was made"""
    attempt_log: list[WebhookAnsweredAttempt]
    """Every attempt that has ended, of all series, the oldest first; the latest 120"""
    workflow_id: str | None
    """The workflow id in Temporal: its own, or while its first attempt waits among many that of its endpoint, which makes them; of one refused there it begins with the second. null: it was settled with its first attempt, so it may have had none of its own"""


class Project(TypedDict):
    """Whose key it is"""

    slug: str
    """Its name in commands"""
    name: str
    """Its name for people"""
    status: Literal['active']
    """The key of a suspended project is refused"""
    owner_email_verified: bool
    """While it is false nothing can be sent"""
    sandbox: bool
    """Whether it is a sandbox: its emails are made like any other and never leave"""
    executables: bool
    """Whether its emails may have attachments that are programs by their names"""
    campaign_approval: bool
    """Whether a second key approves a campaign before it is launched"""
    campaign_limits: CampaignLimits
    send_window: SendWindow | None
    """When its marketing emails go (PATCH /project); null: at any time"""


class ProjectChange(TypedDict):
    """What is omitted stays as it is"""

    campaignLimits: NotRequired[CampaignLimitsInput]
    sendWindow: NotRequired[SendWindowInput | None]
    """The hours in which marketing emails go; null: at any time; omitted: as it was"""


class SendingDomain(TypedDict):
    """A domain that email is sent from"""

    id: str
    """Stays the same for good"""
    domain: str
    """In ASCII. Senders may be on it and on its subdomains once it is verified"""
    verified: bool
    """Whether mail may be from it: it proves itself by DNS, or an operator vouches for it"""
    vouched: bool
    """Whether an operator vouches for it (`domain verify`): it stays verified whatever DNS says"""
    standing: Literal['pending', 'verified', 'failing']
    """By DNS alone. pending: a required record is missing; verified: all are found; failing: one has gone since, and the domain stays verified for 3 days"""
    failing_since: Timestamp | None
    """When a check missed a record first; null unless it is failing"""
    checked_at: Timestamp | None
    """When DNS was asked last; null: never"""
    ed25519: bool
    """Whether its mail is to be signed by Ed25519 as well"""
    ramp: DomainRamp | None
    """How many emails of campaigns may go from it and its subdomains today; null: as many as there are"""
    created_at: Timestamp
    """When it was added"""


class SendingDomainInput(TypedDict):
    """A domain to send from"""

    domain: str
    """Like `example.com`, or a subdomain that you send from"""
    ed25519: NotRequired[bool | None]
    """true: its mail is signed by Ed25519 beside RSA, once that record is found, too. It is not when omitted"""
    ramp: NotRequired[DomainRampInput | None]
    """Campaigns begin with few emails a day from it. No ramp when omitted"""


class SendingDomainWithRecords(TypedDict):
    """A domain that email is sent from, and its DNS records"""

    id: str
    """Stays the same for good"""
    domain: str
    """In ASCII. Senders may be on it and on its subdomains once it is verified"""
    verified: bool
    """Whether mail may be from it: it proves itself by DNS, or an operator vouches for it"""
    vouched: bool
    """Whether an operator vouches for it (`domain verify`): it stays verified whatever DNS says"""
    standing: Literal['pending', 'verified', 'failing']
    """By DNS alone. pending: a required record is missing; verified: all are found; failing: one has gone since, and the domain stays verified for 3 days"""
    failing_since: Timestamp | None
    """When a check missed a record first; null unless it is failing"""
    checked_at: Timestamp | None
    """When DNS was asked last; null: never"""
    ed25519: bool
    """Whether its mail is to be signed by Ed25519 as well"""
    ramp: DomainRamp | None
    """How many emails of campaigns may go from it and its subdomains today; null: as many as there are"""
    created_at: Timestamp
    """When it was added"""
    records: list[DomainRecord]
    """Its records, each with what to do with it; empty for a domain of an operator that was not added by POST /domains yet"""
    next_check_at: Timestamp | None
    """When Everpost asks DNS again by itself; null before the first time, which is at once, and where there are no records"""


class DomainReputation(TypedDict):
    """What became of the emails from one domain"""

    domain: str
    """Of the addresses that the emails are from"""
    sent: int
    """Accepted by the provider"""
    rejected: int
    """Not among those sent: refused at the submission since the address does not exist. Each is one of `bounced.hard`, too"""
    delivered: int
    """Reported as delivered, and nothing worse since"""
    deferred: int
    """Reported as put off by the receiver at least once, whatever came of them: each is also what it has become since"""
    bounced: BouncesByKind
    complained: int
    """Reported as spam"""
    bounce_rate: float | None
    """The share that bounced of those sent and rejected, 0 to 1; null where there are none"""
    complaint_rate: float | None
    """The share that complained of those sent, 0 to 1; null where there are none"""
    state: Literal['good', 'warning', 'critical'] | None
    """`critical`: complaints of 0.3 % or more, or bounces of 5 % or more; `warning`: complaints of 0.1 % or more. null: fewer than 100 emails, of which a share says nothing. GET /attention looks at the last 7 days"""


ContactsUpsertBody: TypeAlias = ContactInput | list[ContactInput]


class ContactsUpsertAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    contacts: list[Contact]
    """As they are now, in the order of the request"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class ContactsListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    contacts: list[ListedContact]
    """This page"""
    totalCount: int | None
    """All contacts that match, whatever the page; null only with `counts=kept`: they were not counted"""
    nextCursor: str | None
    """For older contacts; null where there are none"""
    previousCursor: str | None
    """For newer contacts; null where there are none"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class ContactsGetAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    contact: ContactWithConsent
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


ImportsCreateAnswer = TypedDict(
    'ImportsCreateAnswer',
    {
        'ok': Literal[True],
        'import': Import,
        'warnings': NotRequired[list[Warning]],
    },
)


class ImportsListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    imports: list[Import]
    """This page"""
    nextCursor: str | None
    """For the next page; null on the last"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


ImportsGetAnswer = TypedDict(
    'ImportsGetAnswer',
    {
        'ok': Literal[True],
        'import': Import,
        'warnings': NotRequired[list[Warning]],
    },
)


ImportsPauseAnswer = TypedDict(
    'ImportsPauseAnswer',
    {
        'ok': Literal[True],
        'import': Import,
        'warnings': NotRequired[list[Warning]],
    },
)


ImportsResumeAnswer = TypedDict(
    'ImportsResumeAnswer',
    {
        'ok': Literal[True],
        'import': Import,
        'warnings': NotRequired[list[Warning]],
    },
)


ImportsCancelAnswer = TypedDict(
    'ImportsCancelAnswer',
    {
        'ok': Literal[True],
        'import': Import,
        'warnings': NotRequired[list[Warning]],
    },
)


class TemplatesLanguagesAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    languages: list[TemplateLanguage]
    """The default first, then at most 50 by their tags"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class RecurringCampaignsListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    recurringCampaigns: list[RecurringCampaign]
    """This page"""
    nextCursor: str | None
    """For the next page; null on the last"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesReplaceAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    key: str
    """The key of the sequence"""
    nodes: int
    """How many"""
    version: int
    """Of the graph: 1 at first, one more with every PUT"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""
    dryRun: NotRequired[Literal[True]]
    """Nothing was written: `version` is the one that it would make"""
    changes: NotRequired[list[ChangedStep]]
    """Steps that this removes or changes and at which people stand; omitted where there are none, but not by a dry run"""
    migrated: NotRequired[dict[str, int]]
    """How many stand at each of the nodes that `migrate` names; omitted without it"""
    action: NotRequired[EnrollmentAction]
    """What moves or ends them, as GET …/enrollments/actions/:id has it; omitted where nobody is"""


class SequencesFlowAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    runs: int
    """How many runs were looked at"""
    reachedBy: Literal['goal', 'completed']
    """What the runs of an arm count as `reached` by: `goal` where the graph has one, else that they `completed`"""
    standingElsewhere: int
    """Runs that stand at nodes which only an earlier version had"""
    leftOut: MailLeftOutCounts
    """Runs that went on without an email of whichever node, also of one that only an earlier version had, by reason"""
    nodes: list[NodeFlow]
    """In the order of the graph"""
    edges: list[EdgeFlow]
    """In the order of the graph"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesSimulateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    path: list[SimulatedStep]
    """Every node from the trigger to the last"""
    sends: list[str]
    """The keys of the templates that would be sent"""
    endedBy: Literal['exit', 'goal', 'dead_end', 'hop_guard', 'failed', 'refused']
    """`refused`: at the door, see `refusal`; `failed`: by a call that was assumed to fail with onError fail, or beyond the budget of a walk"""
    runs: NotRequired[list[SimulatedRun]]
    """The runs that further events begin, each gone through after the one before; at most 20"""
    refusal: NotRequired[Refusal]
    """Why the contact could not be enrolled now, as POST enroll would say"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesStartActionAccepted(TypedDict):
    ok: Literal[True]
    """It was done"""
    action: EnrollmentAction
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesActionsAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    actions: list[EnrollmentAction]
    """This page"""
    nextCursor: str | None
    """For the next page; null on the last"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesGetActionAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    action: EnrollmentAction
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SequencesCancelActionAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    action: EnrollmentAction
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class EnrollmentsGetAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    enrollment: EnrollmentWithSteps
    nextCursor: str | None
    """For the steps before these; null when there are none"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SegmentsContactsAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    contacts: list[ListedContact]
    """This page"""
    nextCursor: str | None
    """For the next page; null on the last"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SegmentsPreviewAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    count: int
    """All that match"""
    mailable: int | None
    """Those of them who have not unsubscribed, not bounced and are not suppressed; null: it was not asked for"""
    sample: list[ListedContact]
    """The newest of them"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class WebhooksListenerDeliveriesAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    deliveries: list[ListenerDeliveryState]
    """The newest first"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class WebhooksGetDeliveryAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    delivery: WebhookAnsweredDelivery
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class MeAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    project: Project
    key: ApiKey
    scopes: list[Literal['contacts:read', 'contacts:write', 'segments:read', 'send', 'sends:read', 'templates:read', 'templates:write', 'sequences:read', 'sequences:write', 'campaigns:read', 'campaigns:write', 'suppressions:read', 'suppressions:write', 'webhooks:read', 'webhooks:write', 'keys:read', 'keys:write', 'brands:write', 'domains:write', 'topics:write']]
    """Each scope that the key has; of one with `*` all that there are"""
    grants: list[Literal['contacts:read', 'contacts:write', 'segments:read', 'send', 'sends:read', 'templates:read', 'templates:write', 'sequences:read', 'sequences:write', 'campaigns:read', 'campaigns:write', 'suppressions:read', 'suppressions:write', 'webhooks:read', 'webhooks:write', 'keys:read', 'keys:write', 'brands:write', 'domains:write', 'topics:write']]
    """Each scope that its calls are allowed: `scopes`, and the reading scopes that those include or that a key without any has"""
    brands: list[Brand]
    """The default one first"""
    temporal_web: str | None
    """Where people look at workflows; one of them is at this address, a slash and its URL-encoded `workflow_id`. null when this instance does not know (TEMPORAL_UI_URL)"""
    mailbox: str | None
    """Where people read the emails of a trial, which never leave: `npm start` without a mail provider keeps them in a mailbox on its own machine. null: they go out"""
    private_webhooks: bool
    """Whether URLs of webhook endpoints may be on addresses that are not public, and http (WEBHOOK_ALLOW_PRIVATE)"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class ProjectUpdateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    project: Project
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class DomainsListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    domains: list[SendingDomain]
    """All of them"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class DomainsCreateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    domain: SendingDomainWithRecords
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class DomainsGetAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    domain: SendingDomainWithRecords
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class DomainsUpdateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    domain: SendingDomainWithRecords
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class DomainsVerifyAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    domain: SendingDomainWithRecords
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class DomainsRotateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    domain: SendingDomainWithRecords
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class StatsSendsAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    bucket: Literal['hour', 'day']
    """How long each of `counts` is"""
    counts: list[SendCounts]
    """Oldest first, without gaps"""
    totals: SendTotals
    byDomain: NotRequired[list[DomainReputation]]
    """With `by=domain`: of the whole period, the one with the most emails first"""
    byReceiver: NotRequired[list[ReceiverReputation]]
    """With `by=receiver`: the same by receiver"""
    others: NotRequired[OtherReputation]
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class ContactSubscribedWebhook(TypedDict):
    """`contact.subscribed`: what a webhook says"""

    id: str
    """Of the event: the same for all endpoints"""
    type: Literal['contact.subscribed']
    """What happened"""
    timestamp: str
    """When it happened"""
    data: Contact


class ContactUnsubscribedWebhook(TypedDict):
    """`contact.unsubscribed`: what a webhook says"""

    id: str
    """Of the event: the same for all endpoints"""
    type: Literal['contact.unsubscribed']
    """What happened"""
    timestamp: str
    """When it happened"""
    data: Contact


class PersonalRun(TypedDict):
    """A person's run through a sequence"""

    id: str
    """The `enrollmentId` that POST enroll answered"""
    sequence_key: str
    """The key of its sequence"""
    sequence_version: int
    """The version of the graph that it goes through"""
    contact_id: str
    """Who goes through"""
    status: EnrollmentStatus
    current_node_id: str | None
    """Where it stands; null once it has ended"""
    waiting_for: Wait | str | None
    """delay, event:<type>, condition, time, subflow, webhook, held:<why>, or null"""
    wakes_at: Timestamp | None
    """When the wait is over at the latest; null: it does not wait for an instant"""
    started_at: Timestamp
    """When the contact entered"""
    ended_at: Timestamp | None
    """null while it is active"""
    end_reason: EndReason | None
    """exit, goal, dead_end or hop_guard of a completed one; cancelled, exit_sequences, archived, terminated or failed of a cancelled one"""
    failed_steps: int
    """How many of its steps failed, like emails that could not be sent; `steps` says why"""
    sandboxed: bool
    """A test key asked for it: none of its emails leaves"""
    workflow_id: str
    """The workflow id in Temporal"""
    cancelled_by_key_id: str | None
    """Which key cancelled it, with DELETE /enrollments/:id or an action over many runs; null: none did, or it was before this was kept"""
    steps_pruned: bool
    """Its steps are not kept any more: it ended over a year ago"""
    sequence_name: str
    """The name of its sequence, which may be deleted"""
    steps: list[EnrollmentStep]
    """Every node visited that is still kept, in order; none for a key without `sequences:read`"""


class TemplateColumn(TypedDict):
    """One column of an email"""

    blocks: list[TemplateColumnBlock]
    """From top to bottom"""


class CampaignInput(TypedDict):
    """What goes to whom, and when"""

    template: str
    """The key of a template"""
    audience: Audience
    name: NotRequired[str | None]
    """For your own lists; no recipient sees it"""
    subject: NotRequired[str | None]
    """Liquid; the template's own when omitted or empty"""
    type: NotRequired[SendType | None]
    """The template's own when omitted"""
    data: NotRequired[dict[str, JsonValue] | None]
    """Template variables; an unknown path renders empty. At most 256 KB"""
    brand: NotRequired[str | None]
    """Whom it comes from; the project's default when omitted. Contacts of all brands get it"""
    scheduleAt: NotRequired[Timestamp | None]
    """Omitted: at once. Up to 60 s in the past counts as now"""
    schedule: NotRequired[LocalScheduleInput | None]
    """Instead of `scheduleAt`: a time of the day that the clock of each recipient shows"""
    endsAt: NotRequired[Timestamp | None]
    """Nothing is sent after this instant, which is after the start; the rest counts as skipped"""
    ratePerSecond: NotRequired[int | None]
    """Emails a second at most; as fast as it goes when omitted"""
    sendWindow: NotRequired[SendWindowChoice | None]
    """Hours in which it goes, in place of the project's window; `none`: at any time. The project's when omitted"""
    topic: NotRequired[str | None]
    """The key of the topic that a marketing email is of: it goes to those alone who have it on, and its unsubscribe link leaves the topic"""
    variants: NotRequired[list[CampaignVariantInput] | None]
    """Arms of a test, whose keys differ. Each contact has its arm for good"""
    test: NotRequired[CampaignTestInput | None]
    """The variants are tried on a part; all get them by their weights when omitted"""
    goal: NotRequired[CampaignGoalInput | None]
    """Whose conversions GET /campaigns/:id/results counts; can be changed at any time"""


class CampaignTest(TypedDict):
    """How the variants are tried, and what came of it"""

    share: int
    """Percent of the recipients whom each variant is tried on; the rest waits for the winner"""
    decideBy: Literal['opens', 'clicks', 'goal', 'hand']
    """What the winner is found by: recipients of the test who opened, who clicked, or who did what the goal says; `hand`: POST /campaigns/:id/winner alone"""
    afterHours: int | None
    """null: it waits for somebody"""
    default: str | None
    """null: the first variant"""
    decides_at: Timestamp | None
    """null: before the last email of the test has its outcome, or it waits for somebody"""
    decision: CampaignDecision | None
    """null: it is not decided; the rest waits"""


class CampaignWithData(TypedDict):
    """One email to many contacts, with its counts and its data"""

    id: str
    """Stays the same for good"""
    name: str
    """Empty when none was given"""
    template: str
    """The key of the template"""
    type: SendType
    subject: str
    """Liquid, as it was given or as the template has it"""
    brand_id: str
    """The brand's slug"""
    status: CampaignStatus
    paused: bool
    """Nothing goes until it is resumed"""
    paused_reason: CampaignPausedReason | None
    """null: it is not paused, or somebody has paused it"""
    reason: CampaignReason | None
    """Why it failed (unknown_segment, empty_audience, project_suspended, email_unverified or a code of the template), ended early (ends_at_reached, provider_unavailable, cancelled or terminated by an operator, failed: its workflow), or does not go on just now (provider_unavailable, allowance_used, receiver_pace, send_window, local_time)"""
    allowance: CampaignAllowance | None
    """null: it does not wait for the next day"""
    scheduled_at: Timestamp | None
    """null: at once"""
    schedule: LocalSchedule | None
    """Each recipient gets it then by their own clock, and `scheduled_at` is when it is that time anywhere; null: all at once"""
    ends_at: Timestamp | None
    """Nothing is sent after it; null: no such instant"""
    rate_per_second: int | None
    """null: as fast as it goes"""
    send_window: SendWindowChosen | None
    """As it was given: `none`: it waits for no window; null: the project's"""
    window_in_force: SendWindow | None
    """What it goes by since its recipients were found; null: by no window, or they were not found yet"""
    topic: str | None
    """The key of the topic that it is of; null: of none"""
    variants: list[CampaignVariant] | None
    """null: no test"""
    audience: CampaignAudience
    audience_size: int
    """Who matched, those who may get no email among them"""
    total_recipients: int
    """Who was queued: sent + failed + skipped + cancelled when it has ended. Counted anew when a scheduled one runs"""
    sent_count: int
    """The provider took their email"""
    delivered_count: int
    """As the provider reports"""
    opened_count: int
    """Recipients who opened, each once"""
    clicked_count: int
    """Recipients who clicked, each once"""
    bounced_count: int
    """As the provider reports"""
    complained_count: int
    """As the provider reports"""
    unsubscribed_count: int
    """By the link of this email"""
    failed_count: int
    """Their email could not be made, was refused, or has an unknown outcome"""
    skipped_count: int
    """They unsubscribed meanwhile, or it ended before their turn"""
    cancelled_count: int
    """They will never get it, since it was cancelled"""
    created_at: Timestamp
    """When it was made"""
    sent_at: Timestamp | None
    """When the last of them was settled; null unless it is `sent`"""
    cancelled_at: Timestamp | None
    """When it was cancelled; null unless it is `cancelled`, and of those cancelled before Everpost kept it"""
    sandboxed: bool
    """A test key asked for it: none of its emails leaves"""
    test: CampaignTest | None
    """null: its variants, if it has any, go to all"""
    goal: CampaignGoal | None
    """null: it has none"""
    recurring_id: str | None
    """The recurring campaign that made it; null: none did"""
    left_out: LeftOutCounts
    data: dict[str, JsonValue]
    """What it was made with; {} when none was given"""


class CountedCampaign(TypedDict):
    """One email to many contacts, with all of its counts"""

    id: str
    """Stays the same for good"""
    name: str
    """Empty when none was given"""
    template: str
    """The key of the template"""
    type: SendType
    subject: str
    """Liquid, as it was given or as the template has it"""
    brand_id: str
    """The brand's slug"""
    status: CampaignStatus
    paused: bool
    """Nothing goes until it is resumed"""
    paused_reason: CampaignPausedReason | None
    """null: it is not paused, or somebody has paused it"""
    reason: CampaignReason | None
    """Why it failed (unknown_segment, empty_audience, project_suspended, email_unverified or a code of the template), ended early (ends_at_reached, provider_unavailable, cancelled or terminated by an operator, failed: its workflow), or does not go on just now (provider_unavailable, allowance_used, receiver_pace, send_window, local_time)"""
    allowance: CampaignAllowance | None
    """null: it does not wait for the next day"""
    scheduled_at: Timestamp | None
    """null: at once"""
    schedule: LocalSchedule | None
    """Each recipient gets it then by their own clock, and `scheduled_at` is when it is that time anywhere; null: all at once"""
    ends_at: Timestamp | None
    """Nothing is sent after it; null: no such instant"""
    rate_per_second: int | None
    """null: as fast as it goes"""
    send_window: SendWindowChosen | None
    """As it was given: `none`: it waits for no window; null: the project's"""
    window_in_force: SendWindow | None
    """What it goes by since its recipients were found; null: by no window, or they were not found yet"""
    topic: str | None
    """The key of the topic that it is of; null: of none"""
    variants: list[CampaignVariant] | None
    """null: no test"""
    audience: CampaignAudience
    audience_size: int
    """Who matched, those who may get no email among them"""
    total_recipients: int
    """Who was queued: sent + failed + skipped + cancelled when it has ended. Counted anew when a scheduled one runs"""
    sent_count: int
    """The provider took their email"""
    delivered_count: int
    """As the provider reports"""
    opened_count: int
    """Recipients who opened, each once"""
    clicked_count: int
    """Recipients who clicked, each once"""
    bounced_count: int
    """As the provider reports"""
    complained_count: int
    """As the provider reports"""
    unsubscribed_count: int
    """By the link of this email"""
    failed_count: int
    """Their email could not be made, was refused, or has an unknown outcome"""
    skipped_count: int
    """They unsubscribed meanwhile, or it ended before their turn"""
    cancelled_count: int
    """They will never get it, since it was cancelled"""
    created_at: Timestamp
    """When it was made"""
    sent_at: Timestamp | None
    """When the last of them was settled; null unless it is `sent`"""
    cancelled_at: Timestamp | None
    """When it was cancelled; null unless it is `cancelled`, and of those cancelled before Everpost kept it"""
    sandboxed: bool
    """A test key asked for it: none of its emails leaves"""
    test: CampaignTest | None
    """null: its variants, if it has any, go to all"""
    goal: CampaignGoal | None
    """null: it has none"""
    recurring_id: str | None
    """The recurring campaign that made it; null: none did"""
    left_out: LeftOutCounts


class VariantResults(TypedDict):
    """What one arm of a test came to"""

    key: str
    """As it was given"""
    recipients: int
    """Who was queued in this arm"""
    sent: int
    """The provider took their email"""
    delivered: int
    """As the provider reports"""
    opened: int
    """Recipients who opened, each once"""
    clicked: int
    """Recipients who clicked, each once"""
    unsubscribed: int
    """By the link of this email"""
    bounced: int
    """As the provider reports"""
    complained: int
    """As the provider reports"""
    conversions: VariantConversions | None
    """null: it has no goal, or they are still to be counted"""
    phases: VariantPhases | None
    """null: no test decides"""


class RecurringCampaignWithData(TypedDict):
    """A recurring campaign with its data"""

    id: str
    """Stays the same for good"""
    name: str
    """Empty when none was given. Its campaigns are called by it, or by the template, and their day"""
    status: RecurringCampaignStatus
    recurrence: Recurrence
    in_words: str
    """The rule in words"""
    next_runs: list[Timestamp]
    """The next 5 at most, without those that are skipped; of one that is paused, as if it was resumed now"""
    last_run: RecurringRun | None
    """The latest instant that has come and has an outcome; null: none has"""
    campaigns: int
    """How many were made"""
    template: str
    """The key of the template"""
    subject: str | None
    """As it was given; null: the template's own"""
    type: SendType | None
    """As it was given; null: the template's own"""
    brand: str | None
    """As it was given; null: the project's default"""
    audience: CampaignAudience
    variants: list[GivenVariant] | None
    """null: no test"""
    test: RecurringCampaignTest | None
    """How each of its campaigns tries them; null: they go to all"""
    rate_per_second: int | None
    """null: as fast as it goes"""
    send_window: SendWindowChosen | None
    """`none`: its campaigns wait for no window; null: for the project's"""
    topic: str | None
    """The key of its topic; null: of none"""
    goal: CampaignGoal | None
    """null: it has none"""
    ends_after_minutes: int | None
    """Nothing of a campaign is sent so many minutes after the instant that it is for; null: until all of it is sent"""
    sandboxed: bool
    """A test key asked for it: no email of its campaigns leaves"""
    version: int
    """Goes up with each change; for `ifVersion`"""
    created_at: Timestamp
    """When it was made"""
    changed_at: Timestamp
    """When it was changed last"""
    needs_approval: bool
    """The project has campaigns approved: no campaign is made before another key than that of the last change has approved it"""
    approved_at: Timestamp | None
    """When it was approved as it is; null: it was not"""
    ended_at: Timestamp | None
    """null: it has not ended"""
    end_reason: Literal['deleted', 'until', 'count'] | None
    """`deleted`: by DELETE; `until` and `count`: of its rule"""
    schedule_id: str
    """The id of its Schedule in Temporal"""
    data: dict[str, JsonValue]
    """What its campaigns are made with; {} when none was given"""
    changed_by: NamedKey | None
    """Whose change was the last"""
    approved_by: NamedKey | None
    """Who approved it"""


class StarterSimulation(TypedDict):
    """The way of one contact, as POST /sequences/:key/simulate answers it"""

    attributes: dict[str, str]
    """Of the contact, which is made up"""
    eventType: str
    """The type of the event that it enters by"""
    path: list[SimulatedStep]
    """Every node from the trigger to the last"""
    sends: list[str]
    """The keys of the templates that would be sent"""
    endedBy: Literal['exit', 'goal', 'dead_end', 'hop_guard', 'failed']
    """How its way ended"""


class CampaignCompletedEvent(TypedDict):
    """A campaign, with what is known of its emails by then"""

    id: str
    """Stays the same for good"""
    name: str
    """Empty when none was given"""
    template: str
    """The key of the template"""
    type: SendType
    subject: str
    """Liquid, as it was given or as the template has it"""
    brand_id: str
    """The brand's slug"""
    status: CampaignStatus
    paused: bool
    """Nothing goes until it is resumed"""
    paused_reason: CampaignPausedReason | None
    """null: it is not paused, or somebody has paused it"""
    reason: CampaignReason | None
    """Why it failed (unknown_segment, empty_audience, project_suspended, email_unverified or a code of the template), ended early (ends_at_reached, provider_unavailable, cancelled or terminated by an operator, failed: its workflow), or does not go on just now (provider_unavailable, allowance_used, receiver_pace, send_window, local_time)"""
    allowance: CampaignAllowance | None
    """null: it does not wait for the next day"""
    scheduled_at: Timestamp | None
    """null: at once"""
    schedule: LocalSchedule | None
    """Each recipient gets it then by their own clock, and `scheduled_at` is when it is that time anywhere; null: all at once"""
    ends_at: Timestamp | None
    """Nothing is sent after it; null: no such instant"""
    rate_per_second: int | None
    """null: as fast as it goes"""
    send_window: SendWindowChosen | None
    """As it was given: `none`: it waits for no window; null: the project's"""
    window_in_force: SendWindow | None
    """What it goes by since its recipients were found; null: by no window, or they were not found yet"""
    topic: str | None
    """The key of the topic that it is of; null: of none"""
    variants: list[CampaignVariant] | None
    """null: no test"""
    audience: CampaignAudience
    audience_size: int
    """Who matched, those who may get no email among them"""
    total_recipients: int
    """Who was queued: sent + failed + skipped + cancelled when it has ended. Counted anew when a scheduled one runs"""
    sent_count: int
    """The provider took their email"""
    delivered_count: int
    """As the provider reports"""
    opened_count: int
    """Recipients who opened, each once"""
    clicked_count: int
    """Recipients who clicked, each once"""
    bounced_count: int
    """As the provider reports"""
    complained_count: int
    """As the provider reports"""
    unsubscribed_count: int
    """By the link of this email"""
    failed_count: int
    """Their email could not be made, was refused, or has an unknown outcome"""
    skipped_count: int
    """They unsubscribed meanwhile, or it ended before their turn"""
    cancelled_count: int
    """They will never get it, since it was cancelled"""
    created_at: Timestamp
    """When it was made"""
    sent_at: Timestamp | None
    """When the last of them was settled; null unless it is `sent`"""
    cancelled_at: Timestamp | None
    """When it was cancelled; null unless it is `cancelled`, and of those cancelled before Everpost kept it"""
    sandboxed: bool
    """A test key asked for it: none of its emails leaves"""
    test: CampaignTest | None
    """null: its variants, if it has any, go to all"""
    goal: CampaignGoal | None
    """null: it has none"""
    recurring_id: str | None
    """The recurring campaign that made it; null: none did"""


class CampaignsGetAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    campaign: CampaignWithData
    draft: NotRequired[CampaignDraft]
    """Of a draft and of a scheduled campaign; absent once it has begun"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class CampaignsUpdateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    campaign: CampaignWithData
    draft: NotRequired[CampaignDraft]
    """Of a draft and of a scheduled campaign; absent once it has begun"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class CampaignsProgressAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    campaign: CountedCampaign
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class CampaignsPauseAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    campaign: CountedCampaign
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class CampaignsResumeAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    campaign: CountedCampaign
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class CampaignsApproveAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    campaign: CampaignWithData
    draft: NotRequired[CampaignDraft]
    """Of a draft and of a scheduled campaign; absent once it has begun"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class CampaignsResultsAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    asOf: Timestamp | None
    """When all but `funnel` and `byVariant` was counted; null: it is still to be, and is empty"""
    funnel: CampaignFunnel
    overTime: HitsOverTime
    links: list[LinkClicks]
    """By clicks, 100 at most"""
    otherLinks: OtherLinks
    byVariant: list[VariantResults] | None
    """null: no test"""
    test: CampaignVerdict | None
    """null: no test decides"""
    byReceivers: list[ReceiverResults]
    """Domains by emails sent, 20 at most"""
    byLanguages: list[CampaignLanguage]
    """By the language that the emails were in; empty: the template had its default alone when the campaign began"""
    otherReceivers: OtherReceivers
    conversions: CampaignConversions
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class CampaignsChooseWinnerAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    campaign: CountedCampaign
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class RecurringCampaignsCreateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    recurringCampaign: RecurringCampaignWithData
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class RecurringCampaignsGetAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    recurringCampaign: RecurringCampaignWithData
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class RecurringCampaignsUpdateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    recurringCampaign: RecurringCampaignWithData
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class RecurringCampaignsEndAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    recurringCampaign: RecurringCampaignWithData
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class RecurringCampaignsPauseAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    recurringCampaign: RecurringCampaignWithData
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class RecurringCampaignsResumeAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    recurringCampaign: RecurringCampaignWithData
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class RecurringCampaignsSkipNextAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    recurringCampaign: RecurringCampaignWithData
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class RecurringCampaignsApproveAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    recurringCampaign: RecurringCampaignWithData
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class CampaignCompletedWebhook(TypedDict):
    """`campaign.completed`: what a webhook says"""

    id: str
    """Of the event: the same for all endpoints"""
    type: Literal['campaign.completed']
    """What happened"""
    timestamp: str
    """When it happened"""
    data: CampaignCompletedEvent


WebhookEvent: TypeAlias = ContactSubscribedWebhook | ContactUnsubscribedWebhook | ContactTopicsChangedWebhook | ContactConfirmedWebhook | EmailSentWebhook | EmailDeliveredWebhook | EmailOpenedWebhook | EmailClickedWebhook | EmailBouncedWebhook | EmailComplainedWebhook | SequenceCompletedWebhook | CampaignCompletedWebhook | DomainVerifiedWebhook | DomainFailingWebhook | WebhookPingWebhook
"""What a webhook says; `type` tells which it is"""


class PersonalData(TypedDict):
    """All that is known of a person"""

    withMails: bool
    """false: the key may not read sends, so the emails are left out"""
    withSteps: bool
    """false: the key may not read sequences, so the steps of runs are left out"""
    contact: ContactWithConsent
    suppression: PersonalSuppression | None
    """Why and since when the address gets no email at all; null: it may"""
    topics: list[PersonalTopic]
    """Those of the project, then those that the person chose and that were deleted since"""
    consent_changes: list[TimelineEntry]
    """Every change of status, consent and topics: those entries of the timeline"""
    confirmations: list[PersonalConfirmation]
    """Each time that the person was asked to confirm, with what proves the answer"""
    timeline: list[TimelineEntry]
    """What happened, as GET /contacts/:id/timeline tells it, with `error` as in `sends`"""
    events: list[PersonalEvent]
    """Product events with all that they say"""
    runs: list[PersonalRun]
    """Enrollments in sequences"""
    left_out: list[TimelineEntry]
    """Campaigns that did not go to the person, and why: those entries of the timeline"""
    refused_rows: list[PersonalRefusedRow]
    """Rows with the address that imports refused; kept for 30 days"""
    scheduled: list[PersonalSend]
    """Emails that wait to go to the contact, or to the address"""
    sends: list[PersonalSend]
    """Every email to the contact, then those to the address that name no contact"""
    copies: list[PersonalCopy]
    """Emails to others with a copy to the address"""


class ColumnsBlock(TypedDict):
    """Blocks side by side; on a phone one below the other"""

    type: Literal['columns']
    """The kind of block"""
    columns: list[TemplateColumn]
    """From left to right"""
    spaceAbove: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    spaceBelow: NotRequired[int | None]
    """In pixels; what its kind has when omitted"""
    showIf: NotRequired[TemplateDataPath | None]
    """Shown when this path has a value: not missing, null, false or empty"""


NewCampaignInput: TypeAlias = CampaignInput | CampaignDraftInput
"""With `draft=1` what is known already, else all that is needed to send it"""


class Campaign(TypedDict):
    """One email to many contacts, with its counts"""

    id: str
    """Stays the same for good"""
    name: str
    """Empty when none was given"""
    template: str
    """The key of the template"""
    type: SendType
    subject: str
    """Liquid, as it was given or as the template has it"""
    brand_id: str
    """The brand's slug"""
    status: CampaignStatus
    paused: bool
    """Nothing goes until it is resumed"""
    paused_reason: CampaignPausedReason | None
    """null: it is not paused, or somebody has paused it"""
    reason: CampaignReason | None
    """Why it failed (unknown_segment, empty_audience, project_suspended, email_unverified or a code of the template), ended early (ends_at_reached, provider_unavailable, cancelled or terminated by an operator, failed: its workflow), or does not go on just now (provider_unavailable, allowance_used, receiver_pace, send_window, local_time)"""
    allowance: CampaignAllowance | None
    """null: it does not wait for the next day"""
    scheduled_at: Timestamp | None
    """null: at once"""
    schedule: LocalSchedule | None
    """Each recipient gets it then by their own clock, and `scheduled_at` is when it is that time anywhere; null: all at once"""
    ends_at: Timestamp | None
    """Nothing is sent after it; null: no such instant"""
    rate_per_second: int | None
    """null: as fast as it goes"""
    send_window: SendWindowChosen | None
    """As it was given: `none`: it waits for no window; null: the project's"""
    window_in_force: SendWindow | None
    """What it goes by since its recipients were found; null: by no window, or they were not found yet"""
    topic: str | None
    """The key of the topic that it is of; null: of none"""
    variants: list[CampaignVariant] | None
    """null: no test"""
    audience: CampaignAudience
    audience_size: int
    """Who matched, those who may get no email among them"""
    total_recipients: int
    """Who was queued: sent + failed + skipped + cancelled when it has ended. Counted anew when a scheduled one runs"""
    sent_count: int
    """The provider took their email"""
    delivered_count: int
    """As the provider reports"""
    opened_count: int
    """Recipients who opened, each once"""
    clicked_count: int
    """Recipients who clicked, each once"""
    bounced_count: int
    """As the provider reports"""
    complained_count: int
    """As the provider reports"""
    unsubscribed_count: int
    """By the link of this email"""
    failed_count: int
    """Their email could not be made, was refused, or has an unknown outcome"""
    skipped_count: int
    """They unsubscribed meanwhile, or it ended before their turn"""
    cancelled_count: int
    """They will never get it, since it was cancelled"""
    created_at: Timestamp
    """When it was made"""
    sent_at: Timestamp | None
    """When the last of them was settled; null unless it is `sent`"""
    cancelled_at: Timestamp | None
    """When it was cancelled; null unless it is `cancelled`, and of those cancelled before Everpost kept it"""
    sandboxed: bool
    """A test key asked for it: none of its emails leaves"""
    test: CampaignTest | None
    """null: its variants, if it has any, go to all"""
    goal: CampaignGoal | None
    """null: it has none"""
    recurring_id: str | None
    """The recurring campaign that made it; null: none did"""
    draft: NotRequired[CampaignDraftState]
    """Of a draft and of a scheduled campaign; absent once it has begun"""


class CampaignsListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    campaigns: list[Campaign]
    """This page"""
    nextCursor: str | None
    """For the next page; null on the last"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


TemplateBlock: TypeAlias = HeadingBlock | TextBlock | ButtonBlock | ImageBlock | DividerBlock | SpacerBlock | ListBlock | TableBlock | QuoteBlock | CodeBlock | ColumnsBlock
"""One piece of an email; its `type` names its kind"""


class NewSavedBlockInput(TypedDict):
    """A block and its name"""

    name: str
    """For people; no two of a project are the same in another case"""
    block: TemplateBlock


class SavedBlock(TypedDict):
    """A block that is kept under a name, to begin others with"""

    id: str
    """What it is renamed and deleted by"""
    name: str
    """For people"""
    block: TemplateBlock
    created_at: Timestamp
    """When it was made"""
    updated_at: Timestamp
    """When it got its name"""


class SavedBlocksCreateAnswer(TypedDict):
    """A block that is kept under a name, to begin others with"""

    ok: Literal[True]
    """It was done"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""
    id: str
    """What it is renamed and deleted by"""
    name: str
    """For people"""
    block: TemplateBlock
    created_at: Timestamp
    """When it was made"""
    updated_at: Timestamp
    """When it got its name"""


class SavedBlocksListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    savedBlocks: list[SavedBlock]
    """All of them, by their names"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SavedBlocksUpdateAnswer(TypedDict):
    """A block that is kept under a name, to begin others with"""

    ok: Literal[True]
    """It was done"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""
    id: str
    """What it is renamed and deleted by"""
    name: str
    """For people"""
    block: TemplateBlock
    created_at: Timestamp
    """When it was made"""
    updated_at: Timestamp
    """When it got its name"""


class TemplateBlocks(TypedDict):
    """Content as blocks from top to bottom. Texts are Liquid"""

    preheader: NotRequired[str | None]
    """Shown beside the subject in the list of emails"""
    blocks: list[TemplateBlock]
    """From top to bottom"""


TemplateContent: TypeAlias = TemplateBlocks | TemplateMjml
"""What a template says: blocks from top to bottom, or MJML. Texts are Liquid"""


class TemplateVersion(TypedDict):
    """What a brand has made of the content"""

    version: int
    """One more with every version that is saved"""
    published: bool
    """true: it is what emails say"""
    content: TemplateContent
    subject: NotRequired[str]
    """Liquid. Of the published version the one that is set, absent while the template's own is. Of a draft the one that it was saved with, empty for the template's own; absent: the one that is set stays"""


class PublishedTemplateVersion(TypedDict):
    """What a brand has made of the content, as emails say it"""

    version: int
    """One more with every version that is saved"""
    published: bool
    """true: it is what emails say"""
    content: TemplateContent
    subject: NotRequired[str]
    """Liquid. Of the published version the one that is set, absent while the template's own is. Of a draft the one that it was saved with, empty for the template's own; absent: the one that is set stays"""
    publication: int
    """`version` counts every save; `publication` counts what was published; the console calls it Version"""


class TemplateContentInput(TypedDict):
    """A version of the content"""

    content: TemplateContent
    subject: NotRequired[str | None]
    """Liquid; a blank one is the template's own. Omitted: the one that is set stays"""
    publish: NotRequired[bool | None]
    """true: emails say it from now on; a draft when omitted"""
    brand: NotRequired[str | None]
    """A brand's slug; the project's default when omitted"""
    locale: NotRequired[str | None]
    """The language that it is in, for whom that is nearest; the default when omitted. The query may name it instead, but not another"""


class NewTemplateInput(TypedDict):
    """A template of your own"""

    key: str
    """Names it in sends, campaigns and sequences"""
    type: SendType
    name: str
    """For your own lists"""
    description: NotRequired[str | None]
    """What it is for"""
    subject: str
    """Liquid"""
    content: TemplateContent
    dataSchema: NotRequired[list[TemplateDataFieldInput] | None]
    """The variables that it expects in data; 64 KB at most, samples included"""


class TemplatePreviewInput(TypedDict):
    """What to render, and with what"""

    data: NotRequired[dict[str, JsonValue] | None]
    """Template variables; an unknown path renders empty. At most 256 KB"""
    contactId: NotRequired[str | None]
    """Whom it is rendered for, for which the scope contacts:read is needed"""
    contact: NotRequired[Contact1 | None]
    """A contact that exists only in this request, when contactId is omitted: what it lacks of `contact` is not told as missing"""
    brand: NotRequired[str | None]
    """A brand's slug; the project's default when omitted"""
    content: NotRequired[TemplateContent]
    """What to render in place of what is saved"""
    marks: NotRequired[bool | None]
    """true: in the HTML each block of `content` stands between the comments `<!--block content.blocks[2]-->` and `<!--/block-->`"""
    subject: NotRequired[str | None]
    """Liquid, in place of the brand's or the template's own"""
    version: NotRequired[Literal['draft', 'published'] | None]
    """The draft by default when there is one; without it, and where there is no such version, what a send would use"""
    locale: NotRequired[str | None]
    """The language to show: its draft, else what a send in it would use. The contact's when omitted, as in a send. The query may name it instead, but not another"""


class TemplateSourceLanguage(TypedDict):
    """What emails of a template say in one language"""

    locale: str | None
    """Its BCP 47 tag; null: the default"""
    subject: str
    """Liquid. Of a language empty: that of the default"""
    content: TemplateContent | None
    """What emails say; null: nothing yet, it is a draft alone"""
    version: int
    """The latest that was saved, for `ifVersion` of PUT /templates/:key/content; 0: none"""
    published: bool
    """Whether the brand has published it; false of what the template ships with"""
    draft: bool
    """Whether there is a draft, which is not shown here"""


class Languages(TypedDict):
    subject: NotRequired[str | None]
    """Liquid; that of the default when omitted"""
    content: TemplateContent


TemplateCheckInput = TypedDict(
    'TemplateCheckInput',
    {
        'type': SendType,
        'name': str,
        'description': NotRequired[str | None],
        'subject': str,
        'content': NotRequired[TemplateContent],
        'dataSchema': NotRequired[list[TemplateDataFieldInput] | None],
        'from': NotRequired[Sender | None],
        'languages': NotRequired[dict[str, Languages] | None],
    },
)


class StarterTemplate(TypedDict):
    """A template that a starter brings, as POST /templates takes it"""

    key: str
    """As its mails name it"""
    type: SendType
    name: str
    """For people"""
    description: str
    """What it is for"""
    subject: str
    """Liquid"""
    content: TemplateContent
    dataSchema: list[TemplateDataField]
    """The variables that it expects in data"""


class TemplatesContentAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    key: str
    """The key of the template"""
    defaultContent: TemplateContent
    """As the template ships: what emails say until something is published"""
    draft: NotRequired[TemplateVersion]
    """Absent when there is none"""
    published: NotRequired[PublishedTemplateVersion]
    """Absent when there is none"""
    behind: NotRequired[bool]
    """Of a language: whether the default was published after it. Absent of the default"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class TemplatesGetVersionAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    version: int
    """One more with every version that is saved"""
    publication: int | None
    """`version` counts every save; `publication` counts what was published; the console calls it Version. null: it was never published"""
    state: Literal['draft', 'published', 'superseded', 'replaced']
    """`published`: it is what emails say; `superseded`: it was, until a later one was published; `replaced`: a draft until a later version was saved"""
    subject: str | None
    """Liquid; empty: the template's own. Of a published version the one that is set, of a superseded one the last that was set while it was published, null for those that were superseded before this was kept; of a draft null when it was saved without"""
    created_at: Timestamp
    """When it was saved"""
    key_id: str | None
    """Which key saved it; null for those that were saved before this was kept"""
    content: TemplateContent
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


TemplatesSourceAnswer = TypedDict(
    'TemplatesSourceAnswer',
    {
        'ok': Literal[True],
        'key': str,
        'name': str,
        'description': str,
        'type': SendType,
        'own': bool,
        'enabled': bool,
        'subject': str,
        'from': From | None,
        'dataSchema': list[TemplateDataField],
        'schemaVersion': int,
        'languages': list[TemplateSourceLanguage],
        'warnings': NotRequired[list[Warning]],
    },
)


SendInput = TypedDict(
    'SendInput',
    {
        'template': NotRequired[str | None],
        'html': NotRequired[str | None],
        'text': NotRequired[str | None],
        'content': NotRequired[TemplateContent],
        'to': NotRequired[MailboxText | None],
        'contactId': NotRequired[str | None],
        'type': NotRequired[SendType | None],
        'subject': NotRequired[str | None],
        'data': NotRequired[dict[str, JsonValue] | None],
        'brand': NotRequired[str | None],
        'from': NotRequired[Sender | None],
        'locale': NotRequired[str | None],
        'cc': NotRequired[MailboxText | list[MailboxText] | None],
        'bcc': NotRequired[MailboxText | list[MailboxText] | None],
        'replyTo': NotRequired[MailboxText | None],
        'headers': NotRequired[dict[str, str] | None],
        'topic': NotRequired[str | None],
        'tags': NotRequired[list[str] | None],
        'metadata': NotRequired[dict[str, str] | None],
        'attachments': NotRequired[list[Attachment] | None],
        'sendAt': NotRequired[Timestamp | None],
        'ignoreWindow': NotRequired[bool | None],
        'idempotencyKey': NotRequired[str | None],
    },
)


class SendBatchInput(TypedDict):
    """Many emails, each to one recipient"""

    mails: list[SendInput]
    """Each a body of POST /send"""
    idempotencyKey: NotRequired[str | None]
    """The same as the Idempotency-Key header: `order-7` is `order-7[0]` of the first email, `order-7[1]` of the next, where they have none of their own"""


class FlowGraph(TypedDict):
    """Of the same parts as PUT takes, which takes it back as it is"""

    key: str
    """Unique in the project"""
    version: int
    """Of the graph: 1 at first, one more with every PUT"""
    name: str
    """For your own lists"""
    status: SequenceStatus
    reentry: ReentryPolicy
    cooldownHours: float | None
    """Hours since the last start before a contact may enter again; null: none"""
    goal: SequenceGoal | None
    """Met at any moment, it ends the enrollment; null: none"""
    frequencyCap: FrequencyCap | None
    """null: none"""
    sendWindow: NotRequired[SendWindowChosen]
    """`none`: it waits for no window; absent: it goes by the project's"""
    triggers: list[SequenceTrigger]
    """What enrolls a contact, each by itself"""
    nodes: list[SequenceNode]
    """The steps"""
    edges: list[SequenceEdge]
    """What leads from node to node"""


class FlowGraphInput(TypedDict):
    """A whole flow: its settings, nodes and edges"""

    name: NotRequired[str | None]
    """For your own lists; no recipient sees it"""
    status: NotRequired[SequenceStatus | None]
    """As it was when omitted; draft of a new one"""
    reentry: NotRequired[ReentryPolicy | None]
    """once_active when omitted"""
    cooldownHours: NotRequired[float | None]
    """Hours since the last start before a contact may enter again; fractions are allowed"""
    goal: NotRequired[SequenceGoal | None]
    """None when omitted"""
    frequencyCap: NotRequired[FrequencyCap | None]
    """None when omitted"""
    sendWindow: NotRequired[SendWindowChoice | None]
    """Hours in which its marketing emails go, in place of the project's window; `none`: at any time. The project's when omitted"""
    triggers: NotRequired[list[SequenceTrigger] | None]
    """Each enrolls by itself; none: only POST enroll does"""
    nodes: list[SequenceNode]
    """In any order; exactly one is a trigger. None at all unless the sequence is active"""
    edges: list[SequenceEdge]
    """What leads from node to node"""
    migrate: NotRequired[dict[str, str | None] | None]
    """What becomes of those who stand at a node, of whatever version: the node of this graph at which they go on, or null where their run ends. At nodes that it does not name they stay on their version"""
    key: NotRequired[str | None]
    """Ignored: the address names the sequence"""
    version: NotRequired[int | None]
    """Ignored: each PUT makes the next one"""
    ok: NotRequired[bool | None]
    """Ignored, so that an answer of GET can be put back as it is"""


class SequenceGoal(TypedDict):
    """Met at any moment, by the event or by the condition, it ends the enrollment. At least one of the two"""

    event: NotRequired[EventPattern]
    condition: NotRequired[Condition]


class EventPattern(TypedDict):
    """An event of this type; with `match` one whose payload, with the contact as it then is, satisfies the condition"""

    type: str
    """The type of the event, exactly"""
    match: NotRequired[Condition]


Condition: TypeAlias = Union[
    "AllCondition",
    "AnyCondition",
    "NotCondition",
    FieldCondition,
    SegmentCondition,
    EventCondition,
    EmailCondition,
]
"""What has to hold: a comparison, or several with all, any and not. At most 5 levels and 50 leaves"""


class AllCondition(TypedDict):
    """Holds where each of several does"""

    all: list[Condition]
    """Each has to hold"""


class AnyCondition(TypedDict):
    """Holds where one of several does"""

    any: list[Condition]
    """One of them has to hold"""


NotCondition = TypedDict(
    'NotCondition',
    {
        'not': Condition
    },
)


SequenceTrigger: TypeAlias = Union["EventTrigger", SegmentTrigger, DateTrigger]
"""What enrolls a contact"""


class EventTrigger(TypedDict):
    """An event enrolls the contact to whom it happens"""

    kind: Literal['event']
    """An event enrolls"""
    config: EventPattern
    enabled: NotRequired[bool]
    """false: it enrolls nobody"""


SequenceNode: TypeAlias = Union[
    TriggerNode,
    SendEmailNode,
    WaitDelayNode,
    "WaitUntilNode",
    DigestNode,
    ThrottleNode,
    "BranchNode",
    SplitNode,
    UpdateContactNode,
    WebhookNode,
    SubflowNode,
    "GoalNode",
    ExitNode,
]
"""A step of the flow; its `kind` says which config it has"""


class WaitUntilNode(TypedDict):
    """Waits for an event or a condition, at most so long, or for a local time"""

    id: str
    """Unique in the graph"""
    kind: Literal['wait_until']
    """What the node does"""
    label: NotRequired[str]
    """What your lists call it, where what it does says too little"""
    config: WaitUntilConfig


class WaitUntilConfig1(TypedDict):
    """An event (edges `event` and `timeout`), a condition (edges `met` and `timeout`), or a time (one edge without a key)"""

    event: EventPattern
    timeoutMinutes: float
    """Minutes after which the run goes on with `timeout`"""


class WaitUntilConfig2(TypedDict):
    """An event (edges `event` and `timeout`), a condition (edges `met` and `timeout`), or a time (one edge without a key)"""

    condition: Condition
    timeoutMinutes: float
    """Minutes after which the run goes on with `timeout`"""


WaitUntilConfig: TypeAlias = WaitUntilConfig1 | WaitUntilConfig2 | WaitUntilConfig3
"""An event (edges `event` and `timeout`), a condition (edges `met` and `timeout`), or a time (one edge without a key)"""


class BranchNode(TypedDict):
    """Goes on with the first branch whose condition holds, else with `default`; in short with `true` or `false`"""

    id: str
    """Unique in the graph"""
    kind: Literal['branch']
    """What the node does"""
    label: NotRequired[str]
    """What your lists call it, where what it does says too little"""
    config: BranchConfig


class Branch(TypedDict):
    key: str
    """The `branchKey` of the edge for it"""
    when: Condition


class BranchConfig1(TypedDict):
    """Several branches by their keys, or one condition with the edges `true` and `false`"""

    branches: list[Branch]
    """Tried in this order; each key once. Where none holds the edge `default` is taken"""


class BranchConfig2(TypedDict):
    """Several branches by their keys, or one condition with the edges `true` and `false`"""

    when: Condition


BranchConfig: TypeAlias = BranchConfig1 | BranchConfig2
"""Several branches by their keys, or one condition with the edges `true` and `false`"""


class GoalNode(TypedDict):
    """Ends the run by its goal, where its condition holds or where it has none; else the run goes on"""

    id: str
    """Unique in the graph"""
    kind: Literal['goal']
    """What the node does"""
    label: NotRequired[str]
    """What your lists call it, where what it does says too little"""
    config: NotRequired[GoalNodeConfig]


class GoalNodeConfig(TypedDict):
    """Omitted: reached by everyone who comes here"""

    condition: Condition


class StarterGraph(TypedDict):
    """As PUT /sequences/:key takes it"""

    reentry: ReentryPolicy
    cooldownHours: float | None
    """Hours since the last start before a contact may enter again; null: none"""
    goal: SequenceGoal | None
    """Met at any moment, it ends the enrollment; null: none"""
    frequencyCap: FrequencyCap | None
    """null: none"""
    sendWindow: NotRequired[SendWindowChosen]
    """`none`: it waits for no window; absent: it goes by the project's"""
    triggers: list[SequenceTrigger]
    """What enrolls a contact, each by itself"""
    nodes: list[SequenceNode]
    """The steps"""
    edges: list[SequenceEdge]
    """What leads from node to node"""


class Segment(TypedDict):
    """A saved audience"""

    id: str
    """Stays the same for good"""
    label: str
    """Unique in the project, without regard to case"""
    brand_id: str | None
    """Only contacts of this brand; null: of all"""
    filter: StoredSegmentFilter
    version: int
    """Goes up with each change; for `ifVersion` of PATCH"""
    count: int
    """Counted when asked"""
    created_at: Timestamp
    """When it was made"""
    updated_at: Timestamp
    """When label or filter last changed"""


class StoredSegmentFilter(TypedDict):
    """What of the contacts has to match; {} matches all"""

    status: NotRequired[Literal['subscribed', 'unsubscribed', 'pending', 'bounced'] | list[Literal['subscribed', 'unsubscribed', 'pending', 'bounced']] | None]
    """One status, or any of several"""
    tags: NotRequired[list[str] | None]
    """Contacts that carry all of them"""
    source: NotRequired[str | None]
    """Exact"""
    where: NotRequired[Condition | None]
    """A condition as in a branch, about the contact: `segment` and `event.<path>` are refused. Beside the other members it must hold too. At most 64 KB"""


class UncountedSegment(TypedDict):
    """A saved audience, not counted"""

    id: str
    """Stays the same for good"""
    label: str
    """Unique in the project, without regard to case"""
    brand_id: str | None
    """Only contacts of this brand; null: of all"""
    filter: StoredSegmentFilter
    version: int
    """Goes up with each change; for `ifVersion` of PATCH"""
    created_at: Timestamp
    """When it was made"""
    updated_at: Timestamp
    """When label or filter last changed"""


class SegmentInput(TypedDict):
    """A saved audience"""

    label: str
    """Names it; spaces around it do not count"""
    filter: NotRequired[SegmentFilter | None]
    """{} when omitted: all contacts"""
    brand: NotRequired[str | None]
    """Only contacts of this brand"""


class SegmentFilter(TypedDict):
    """What of the contacts has to match, all of it; {} matches all"""

    status: NotRequired[Literal['subscribed', 'unsubscribed', 'pending', 'bounced'] | list[Literal['subscribed', 'unsubscribed', 'pending', 'bounced']] | None]
    """One status, or any of several"""
    tags: NotRequired[list[str] | None]
    """Contacts that carry all of them"""
    source: NotRequired[str | None]
    """Exact"""
    where: NotRequired[Condition | None]
    """A condition as in a branch, about the contact: `segment` and `event.<path>` are refused. Beside the other members it must hold too. At most 64 KB"""


class SegmentChange(TypedDict):
    """What is omitted stays as it is"""

    label: NotRequired[str | None]
    """Names it; spaces around it do not count"""
    filter: NotRequired[SegmentFilter | None]
    """In place of the one before"""


class SegmentPreview(TypedDict):
    """Whom to count"""

    filter: NotRequired[SegmentFilter | None]
    """{} when omitted: all contacts"""
    brand: NotRequired[str | None]
    """Only contacts of this brand"""
    topic: NotRequired[str | None]
    """Of `mailable` only those who have this topic on"""
    mailable: NotRequired[bool | None]
    """true: those who would get a campaign are counted, too, which takes longer"""


class SequencesGetAnswer(TypedDict):
    """Of the same parts as PUT takes, which takes it back as it is"""

    ok: Literal[True]
    """It was done"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""
    key: str
    """Unique in the project"""
    version: int
    """Of the graph: 1 at first, one more with every PUT"""
    name: str
    """For your own lists"""
    status: SequenceStatus
    reentry: ReentryPolicy
    cooldownHours: float | None
    """Hours since the last start before a contact may enter again; null: none"""
    goal: SequenceGoal | None
    """Met at any moment, it ends the enrollment; null: none"""
    frequencyCap: FrequencyCap | None
    """null: none"""
    sendWindow: NotRequired[SendWindowChosen]
    """`none`: it waits for no window; absent: it goes by the project's"""
    triggers: list[SequenceTrigger]
    """What enrolls a contact, each by itself"""
    nodes: list[SequenceNode]
    """The steps"""
    edges: list[SequenceEdge]
    """What leads from node to node"""


class SequenceStartersGetAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    key: str
    """Names it among the starters"""
    name: str
    """For people"""
    description: str
    """What it does"""
    graph: StarterGraph
    templates: list[StarterTemplate]
    """What its mails lack in this project"""
    simulation: StarterSimulation
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SegmentsListAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    segments: list[Segment]
    """All of them, or with `counts=kept` those whose number is kept; the newest first"""
    uncounted: NotRequired[list[UncountedSegment]]
    """Only with `counts=kept`: the others, the newest first. GET /segments/:id counts one"""
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SegmentsCreateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    segment: Segment
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SegmentsGetAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    segment: Segment
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""


class SegmentsUpdateAnswer(TypedDict):
    ok: Literal[True]
    """It was done"""
    segment: Segment
    warnings: NotRequired[list[Warning]]
    """What was done and may not be what was meant; absent when there is nothing to say"""
