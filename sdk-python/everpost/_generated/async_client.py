# Made by `npm run sdk:python` from the OpenAPI document. Change the API, or sdk-python/generate.py, not this file.
"""The groups and methods of the client."""

from __future__ import annotations

from datetime import datetime
from typing import Any, AsyncIterator, List, Literal, Mapping, overload

from typing_extensions import Unpack

from .._calls import OMIT, FileInput, Omit
from .._transport import AsyncCaller, AsyncDownload
from . import arguments as a
from . import models as m
from .operations import OPERATIONS as O


class AsyncAttention:
    """`everpost.attention`: What needs a look"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(self) -> m.AttentionListAnswer:
        """List what in the project needs a look.

        Mail providers that fail or whose daily allowance is used, senders that cannot send, sending domains whose DNS records
        have gone, or whose new DKIM keys wait for theirs, sending domains and receivers of whose emails of the last 7 days too
        many bounced or complained (GET /stats), endpoints that refuse deliveries (those of the last day), campaigns and runs
        that are held, those that wait for an approval among them, campaigns scheduled for a segment that was deleted, recurring
        campaigns that are held or whose last campaign was not made, scheduled emails that are more than ten minutes late,
        sequences of which runs failed or had emails that could not be rendered, and templates with such emails (both of the
        last day; of the emails of tests and of what was sent again nothing is told). Empty when all is well. A key that has
        reading scopes is told of what these let it read; what failed is told only to keys that read sequences, or the send log.

        Any key will do.

        GET /attention
        """
        answer: m.AttentionListAnswer = await self._caller.json(O["attention.list"], (), {})
        return answer


class AsyncBrands:
    """`everpost.brands`"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(self) -> m.BrandsListAnswer:
        """List the project's brands, the default one first.

        Any key will do.

        GET /brands
        """
        answer: m.BrandsListAnswer = await self._caller.json(O["brands.list"], (), {})
        return answer

    @overload
    async def upsert(
        self,
        slug: str,
        /,
        *,
        name: str | None | Omit = OMIT,
        from_: m.Sender | None | Omit = OMIT,
        reply_to: m.Email | None | Omit = OMIT,
        logo_url: str | None | Omit = OMIT,
        color: str | None | Omit = OMIT,
        website: str | None | Omit = OMIT,
        address: str | None | Omit = OMIT,
        track_transactional: bool | None | Omit = OMIT,
        double_opt_in: bool | None | Omit = OMIT,
        confirm_template: str | None | Omit = OMIT,
        confirm_reminders: List[int] | None | Omit = OMIT,
        confirm_prune_days: int | None | Omit = OMIT,
        is_default: Literal[True] | None | Omit = OMIT,
    ) -> m.BrandsUpsertAnswer:
        """Make a brand, or change it.

        The first brand of a project becomes its default. A sender has to be on a verified domain (`invalid_from`). A project
        has at most 100 brands (`too_many_brands`), and a brand cannot be deleted. Emails that are being made at that moment may
        have what was there before.

        Scope: `brands:write`

        PUT /brands/{slug}

        name: As recipients see it; the slug when it is made without
        from_: Whom its emails are from, on a verified domain; null clears, omitted keeps
        reply_to: Where answers go; null clears, omitted keeps
        logo_url: Shown at the top of its emails; null clears, omitted keeps
        color: Of buttons, like `#1a73e8`; null clears, omitted keeps
        website: Where its logo or name leads; null clears, omitted keeps
        address: The postal address at the end of its marketing emails; it may have several lines; null clears, omitted keeps
        track_transactional: Whether opens and clicks of its transactional emails count, too
        double_opt_in: Whether who becomes a contact by POST /contacts without a `status` is `pending`, and asked to confirm by
        an email; the template of that email has to be enabled (`template_not_enabled`)
        confirm_template: The transactional template of that email, which shows its variable `confirmUrl`; null:
        `confirm-subscription`
        confirm_reminders: When who has not confirmed is reminded: hours after the first email, at most two; `[]` never
        confirm_prune_days: After how many days who has not confirmed, and has done nothing else, is erased; 30 at first, null
        never
        is_default: Makes it the default one in place of the one before
        """

    @overload
    async def upsert(self, slug: str, body: m.BrandInput, /) -> m.BrandsUpsertAnswer: ...

    async def upsert(self, slug: str, /, *body: m.BrandInput, **fields: Any) -> m.BrandsUpsertAnswer:
        answer: m.BrandsUpsertAnswer = await self._caller.json(O["brands.upsert"], (slug,), fields, *body)
        return answer


class AsyncCampaigns:
    """`everpost.campaigns`: One email to many contacts, now or later"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    @overload
    async def create(
        self,
        *,
        template: str | Omit = OMIT,
        audience: m.Audience | Omit = OMIT,
        name: str | None | Omit = OMIT,
        subject: str | None | Omit = OMIT,
        type: m.SendType | None | Omit = OMIT,
        data: Mapping[str, m.JsonValue] | None | Omit = OMIT,
        brand: str | None | Omit = OMIT,
        schedule_at: m.Timestamp | datetime | None | Omit = OMIT,
        schedule: m.LocalScheduleInput | None | Omit = OMIT,
        ends_at: m.Timestamp | datetime | None | Omit = OMIT,
        rate_per_second: int | None | Omit = OMIT,
        send_window: m.SendWindowChoice | None | Omit = OMIT,
        topic: str | None | Omit = OMIT,
        variants: List[m.CampaignVariantInput] | None | Omit = OMIT,
        test: m.CampaignTestInput | None | Omit = OMIT,
        goal: m.CampaignGoalInput | None | Omit = OMIT,
        copy_of: str | None | Omit = OMIT,
        draft: bool | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
    ) -> m.CampaignsCreateAnswer:
        """Send a campaign now or later.

        Answers when the audience is resolved and queued. `audienceSize` is who matches, `enrolled` who of them gets email: not
        those who have unsubscribed, bounced or are suppressed. A scheduled campaign is counted now and resolved when it runs.
        `warnings` name data that the template requires and nothing gives, so that every email would fail, and variables of the
        subjects that no email has: `[{ "path": "data.resetUrl", "message": "password-reset requires resetUrl, and nothing gives
        it: the mail would fail" }]`. With `draft=1` it is kept, and nothing is checked but each field by itself; a project has
        at most 200 drafts (`too_many_drafts`). `approval_required`: the project has campaigns approved by a second key, which
        begins with a draft.

        Scope: `campaigns:write`

        POST /campaigns

        template: The key of a template
        name: For your own lists; no recipient sees it
        subject: Liquid; the template's own when omitted or empty
        type: The template's own when omitted
        data: Template variables; an unknown path renders empty. At most 256 KB
        brand: Whom it comes from; the project's default when omitted. Contacts of all brands get it
        schedule_at: Omitted: at once. Up to 60 s in the past counts as now
        schedule: Instead of `scheduleAt`: a time of the day that the clock of each recipient shows
        ends_at: Nothing is sent after this instant, which is after the start; the rest counts as skipped
        rate_per_second: Emails a second at most; as fast as it goes when omitted
        send_window: Hours in which it goes, in place of the project's window; `none`: at any time. The project's when omitted
        topic: The key of the topic that a marketing email is of: it goes to those alone who have it on, and its unsubscribe
        link leaves the topic
        variants: Arms of a test, whose keys differ. Each contact has its arm for good
        test: The variants are tried on a part; all get them by their weights when omitted
        goal: Whose conversions GET /campaigns/:id/results counts; can be changed at any time
        copy_of: A campaign of the project, whatever became of it: all that it was made with but its times. What else the body
        has goes before
        draft: Kept, and not sent before POST /campaigns/:id/launch: whatever is not known yet may be left out
        idempotency_key: One of yours, like `invoice-2207-paid`; made for each call when omitted
        """

    @overload
    async def create(
        self,
        body: m.NewCampaignInput,
        /,
        *,
        draft: bool | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
    ) -> m.CampaignsCreateAnswer: ...

    async def create(self, *body: m.NewCampaignInput, **fields: Any) -> m.CampaignsCreateAnswer:
        answer: m.CampaignsCreateAnswer = await self._caller.json(O["campaigns.create"], (), fields, *body)
        return answer

    async def list(
        self,
        *,
        status: m.CampaignStatus | Omit = OMIT,
        recurring_id: str | Omit = OMIT,
        under_way: bool | Omit = OMIT,
        limit: int | Omit = OMIT,
        cursor: str | Omit = OMIT,
    ) -> m.CampaignsListAnswer:
        """List campaigns, newest first.

        Drafts only with `status=draft`.

        Scope: `campaigns:read`, or a key that has no reading scope

        GET /campaigns

        status: `scheduled` until its time comes, `queued` until its workflow begins, `sending`, then for good `sent` (every
        recipient is settled), `cancelled`, or `failed` (nothing could go: `reason` says why). `draft`: nobody has launched it
        recurring_id: Those that this recurring campaign has made
        under_way: `true`: those scheduled, queued or sending; `false`: the others
        limit: 50 when omitted
        cursor: From the answer before; the filters stay as they are
        """
        answer: m.CampaignsListAnswer = await self._caller.json(O["campaigns.list"], (), {"status": status, "recurring_id": recurring_id, "under_way": under_way, "limit": limit, "cursor": cursor})
        return answer

    def iterate(
        self,
        *,
        status: m.CampaignStatus | Omit = OMIT,
        recurring_id: str | Omit = OMIT,
        under_way: bool | Omit = OMIT,
        limit: int | Omit = OMIT,
    ) -> AsyncIterator[m.Campaign]:
        """List campaigns, newest first: each of them, over all pages. Pages are asked for as they are needed."""
        return self._caller.pages(O["campaigns.list"], (), {"status": status, "recurring_id": recurring_id, "under_way": under_way, "limit": limit}, ('campaigns',), "cursor")

    async def get(self, id: str, /) -> m.CampaignsGetAnswer:
        """Read one campaign with its counters.

        Scope: `campaigns:read`, or a key that has no reading scope

        GET /campaigns/{id}
        """
        answer: m.CampaignsGetAnswer = await self._caller.json(O["campaigns.get"], (id,), {})
        return answer

    @overload
    async def update(
        self,
        id: str,
        /,
        *,
        name: str | None | Omit = OMIT,
        subject: str | None | Omit = OMIT,
        type: m.SendType | None | Omit = OMIT,
        brand: str | None | Omit = OMIT,
        schedule_at: m.Timestamp | datetime | None | Omit = OMIT,
        schedule: m.LocalScheduleInput | None | Omit = OMIT,
        ends_at: m.Timestamp | datetime | None | Omit = OMIT,
        rate_per_second: int | None | Omit = OMIT,
        send_window: m.SendWindowChoice | None | Omit = OMIT,
        topic: str | None | Omit = OMIT,
        variants: List[m.CampaignVariantInput] | None | Omit = OMIT,
        test: m.CampaignTestInput | None | Omit = OMIT,
        goal: m.CampaignGoalInput | None | Omit = OMIT,
        template: str | None | Omit = OMIT,
        audience: m.Audience | None | Omit = OMIT,
        data: Mapping[str, m.JsonValue] | None | Omit = OMIT,
        if_version: int | Omit = OMIT,
    ) -> m.CampaignsUpdateAnswer:
        """Change a draft, a scheduled campaign until it begins, or the goal of any.

        What is omitted stays, null takes out what was there. Each change is the next `version`; with `ifVersion` nothing is
        changed when somebody else has changed it since. A draft takes anything that a campaign may have. A scheduled campaign
        is checked and counted as POST /campaigns does, and keeps a template, an audience and a time. It begins, or is changed,
        and never both: once it has begun it is `invalid_status`. A change takes back an approval. In a project that asks for
        those a scheduled campaign that was changed does not begin before it is approved again. The `goal` alone can be changed,
        or taken out, of every campaign, also of one that is sent: it says how results are counted, and takes no approval back.

        Scope: `campaigns:write`

        PATCH /campaigns/{id}

        name: For your own lists; no recipient sees it
        subject: Liquid; the template's own when omitted or empty
        type: The template's own when omitted
        brand: Whom it comes from; the project's default when omitted. Contacts of all brands get it
        schedule_at: Omitted: at once. Up to 60 s in the past counts as now
        schedule: Instead of `scheduleAt`: a time of the day that the clock of each recipient shows
        ends_at: Nothing is sent after this instant, which is after the start; the rest counts as skipped
        rate_per_second: Emails a second at most; as fast as it goes when omitted
        send_window: Hours in which it goes, in place of the project's window; `none`: at any time. The project's when omitted
        topic: The key of the topic that a marketing email is of: it goes to those alone who have it on, and its unsubscribe
        link leaves the topic
        variants: Arms of a test, whose keys differ. Each contact has its arm for good
        test: The variants are tried on a part; all get them by their weights when omitted
        goal: Whose conversions GET /campaigns/:id/results counts; can be changed at any time
        template: The key of a template
        audience: Whom it is for
        data: Template variables; an unknown path renders empty. At most 256 KB
        if_version: The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is
        another by now
        """

    @overload
    async def update(
        self,
        id: str,
        body: m.CampaignChange,
        /,
        *,
        if_version: int | Omit = OMIT,
    ) -> m.CampaignsUpdateAnswer: ...

    async def update(self, id: str, /, *body: m.CampaignChange, **fields: Any) -> m.CampaignsUpdateAnswer:
        answer: m.CampaignsUpdateAnswer = await self._caller.json(O["campaigns.update"], (id,), fields, *body)
        return answer

    async def delete(self, id: str, /, *, if_version: int | Omit = OMIT) -> m.CampaignsDeleteAnswer:
        """Delete a draft.

        `invalid_status`: it was launched; what is scheduled is cancelled.

        Scope: `campaigns:write`

        DELETE /campaigns/{id}

        if_version: The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is
        another by now
        """
        answer: m.CampaignsDeleteAnswer = await self._caller.json(O["campaigns.delete"], (id,), {"if_version": if_version})
        return answer

    async def progress(self, id: str, /) -> m.CampaignsProgressAnswer:
        """Read one campaign with its counters, without its data.

        For whoever asks again and again while it is sent: `data` never changes and may be large.

        Scope: `campaigns:read`, or a key that has no reading scope

        GET /campaigns/{id}/progress
        """
        answer: m.CampaignsProgressAnswer = await self._caller.json(O["campaigns.progress"], (id,), {})
        return answer

    async def cancel(self, id: str, /) -> m.CampaignsCancelAnswer:
        """Cancel a campaign; nobody else gets it.

        Answers when the emails in flight have their outcome, after 22 s at the latest: no further email is submitted to the
        provider from then on, and `cancelledJobs` is the number of recipients who never get it. What the provider has taken is
        not recalled. In every state but `sent` and `draft`, which is deleted instead.

        Scope: `campaigns:write`

        POST /campaigns/{id}/cancel
        """
        answer: m.CampaignsCancelAnswer = await self._caller.json(O["campaigns.cancel"], (id,), {})
        return answer

    async def pause(self, id: str, /) -> m.CampaignsPauseAnswer:
        """Pause a campaign that has not ended.

        Emails that are being submitted at this moment still go. `invalid_status`: it has ended, or is paused already.

        Scope: `campaigns:write`

        POST /campaigns/{id}/pause
        """
        answer: m.CampaignsPauseAnswer = await self._caller.json(O["campaigns.pause"], (id,), {})
        return answer

    async def resume(self, id: str, /) -> m.CampaignsResumeAnswer:
        """Let a paused campaign go on.

        `invalid_status`: it has ended, or is not paused.

        Scope: `campaigns:write`

        POST /campaigns/{id}/resume
        """
        answer: m.CampaignsResumeAnswer = await self._caller.json(O["campaigns.resume"], (id,), {})
        return answer

    async def people(
        self,
        id: str,
        /,
        *,
        outcome: Literal['left_out'] | Omit = OMIT,
        reason: m.LeftOutReason | Omit = OMIT,
        limit: int | Omit = OMIT,
        cursor: str | Omit = OMIT,
    ) -> m.CampaignsPeopleAnswer:
        """Read whom a campaign was given, or whom it left out.

        `emails` are the addresses of a campaign to the people of a list, to send to them again; none of another. With
        `outcome=left_out`: `people`, who matched its audience and do not get it, by reason, a page at a time; `left_out` of the
        campaign says how many they are. Those whose contacts were deleted since are in no list, and a page may so be shorter
        than `limit`. Kept for a year. A scheduled campaign leaves nobody out before it runs, and one that ends before it has
        looked for its audience never does.

        Scope: `contacts:read`

        GET /campaigns/{id}/people

        outcome: Who does not get it
        reason: Of those alone who were left out for it
        limit: 50 when omitted
        cursor: From the answer before; the filters stay as they are
        """
        answer: m.CampaignsPeopleAnswer = await self._caller.json(O["campaigns.people"], (id,), {"outcome": outcome, "reason": reason, "limit": limit, "cursor": cursor})
        return answer

    def iterate_people(
        self,
        id: str,
        /,
        *,
        outcome: Literal['left_out'] | Omit = OMIT,
        reason: m.LeftOutReason | Omit = OMIT,
        limit: int | Omit = OMIT,
    ) -> AsyncIterator[m.PersonLeftOut]:
        """Read whom a campaign was given, or whom it left out: each of them, over all pages. Pages are asked for as they are
        needed.
        """
        return self._caller.pages(O["campaigns.people"], (id,), {"outcome": outcome, "reason": reason, "limit": limit}, ('people',), "cursor")

    async def export_people(
        self,
        id: str,
        /,
        *,
        outcome: Literal['sent', 'failed', 'left_out'] | Omit = OMIT,
    ) -> AsyncDownload:
        """Export a campaign's people as CSV.

        CSV by RFC 4180 in UTF-8, as a stream: the first row has the names of the columns. A cell that begins with `=`, `+`,
        `-`, `@`, a tab or a carriage return has an apostrophe before it, so that no spreadsheet takes it for a formula; an
        import takes it away again. The columns: `contact_id`, `email`, `outcome`, `reason`, `at`, `delivery_status`,
        `first_opened_at`, `first_clicked_at`, `send_id`. First those who have got the email or for whom it failed (`outcome`
        sent or failed, with the error as the reason), the latest first; these need `sends:read` too. Then those who were left
        out, by reason. Who has been erased is in neither. An email that was sent again after it failed has its last row.

        Scope: `contacts:read`

        GET /campaigns/{id}/people/export

        outcome: Of these alone
        """
        answer: AsyncDownload = await self._caller.download(O["campaigns.exportPeople"], (id,), {"outcome": outcome})
        return answer

    async def audience(self, id: str, /, *, digest: bool | Omit = OMIT) -> m.CampaignsAudienceAnswer:
        """Count who would get a campaign that has not begun.

        At this moment, as a launch would, without those whose time has passed where its `schedule` skips them: for `ifEnrolled`
        of POST /campaigns/:id/launch. Nobody while a draft does not say whom it is for. With `digest=1` it also tells who they
        are, for `ifAudience`. `invalid_status`: it has begun, and its record has the numbers.

        Scope: `campaigns:read`, or a key that has no reading scope

        GET /campaigns/{id}/audience

        digest: `1`: with the digest of who would get it
        """
        answer: m.CampaignsAudienceAnswer = await self._caller.json(O["campaigns.audience"], (id,), {"digest": digest})
        return answer

    @overload
    async def launch(
        self,
        id: str,
        /,
        *,
        schedule_at: m.Timestamp | datetime | None | Omit = OMIT,
        schedule: m.LocalScheduleInput | None | Omit = OMIT,
        send_window: m.SendWindowChoice | None | Omit = OMIT,
        if_enrolled: int | None | Omit = OMIT,
        if_audience: str | None | Omit = OMIT,
        if_version: int | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
    ) -> m.CampaignsLaunchAnswer:
        """Send a draft now or later.

        Checks what POST /campaigns checks and answers as it does. Once: a draft that is launched is one no more, so another
        call is `invalid_status`, and one with the same Idempotency-Key has the same answer. `approval_required`: the project
        has campaigns approved, and no other key than the one that wrote the last change has approved the draft as it is.
        `audience_changed`: others than `ifEnrolled` or `ifAudience` says would get it by now; the body has both counts, and
        nothing is sent.

        Scope: `campaigns:write`

        POST /campaigns/{id}/launch

        schedule_at: In place of the draft's own; null: at once. Up to 60 s in the past counts as now
        schedule: In place of the draft's own times: a time of the day that the clock of each recipient shows
        send_window: In place of the draft's own: hours in which it goes, or `none`; null: the project's
        if_enrolled: So many are to get it, as somebody was shown: 409 `audience_changed` when it is another number by now
        if_audience: These very addresses are to get it, by the `digest` of GET /campaigns/:id/audience: 409 `audience_changed`
        when they are others by now. A campaign that begins later is compared now, and goes to whoever is in its audience then
        if_version: The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is
        another by now
        idempotency_key: One of yours, like `invoice-2207-paid`; made for each call when omitted
        """

    @overload
    async def launch(
        self,
        id: str,
        body: m.CampaignLaunchInput,
        /,
        *,
        if_version: int | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
    ) -> m.CampaignsLaunchAnswer: ...

    async def launch(self, id: str, /, *body: m.CampaignLaunchInput, **fields: Any) -> m.CampaignsLaunchAnswer:
        answer: m.CampaignsLaunchAnswer = await self._caller.json(O["campaigns.launch"], (id,), fields, *body)
        return answer

    async def approve(self, id: str, /, *, if_version: int | Omit = OMIT) -> m.CampaignsApproveAnswer:
        """Approve a draft, or a scheduled campaign that was changed.

        As it is: the next change takes it back, so name what was looked at in `ifVersion`. `forbidden`: the key, or the key of
        the session, wrote the last change; another one approves it. Projects ask for it by `project set --campaign-approval
        on`.

        Scope: `campaigns:write`

        POST /campaigns/{id}/approve

        if_version: The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is
        another by now
        """
        answer: m.CampaignsApproveAnswer = await self._caller.json(O["campaigns.approve"], (id,), {"if_version": if_version})
        return answer

    async def results(self, id: str, /, *, bucket: Literal['hour', 'day'] | Omit = OMIT) -> m.CampaignsResultsAnswer:
        """Read what a campaign led to.

        The funnel and the counts of variants are those of GET /campaigns/:id. The rest is counted as it is now where the
        campaign is to 1,000 recipients at most, else now and then, the rarer the longer its end is past: `asOf` says when. It
        is counted for the last time 60 days after its end and stays as it is then. A change of the goal is counted within a
        minute, or as soon as so many recipients are looked at. People who were erased still count, without their address: among
        the others; their conversions do not, since their events are gone.

        Scope: `campaigns:read`, or a key that has no reading scope

        GET /campaigns/{id}/results

        bucket: `hour`: the first 7 days; `day`: the first 60
        """
        answer: m.CampaignsResultsAnswer = await self._caller.json(O["campaigns.results"], (id,), {"bucket": bucket})
        return answer

    @overload
    async def choose_winner(self, id: str, /, *, variant: str) -> m.CampaignsChooseWinnerAnswer:
        """Choose what the rest of a test gets.

        Whatever the test tells by then: who is still to get it in the test gets their own variant, and all others this one,
        from now on. The same choice once more changes nothing. `invalid_status`: the campaign has no test, is a draft or has
        ended, or it is decided already.

        Scope: `campaigns:write`

        POST /campaigns/{id}/winner

        variant: The key of a variant
        """

    @overload
    async def choose_winner(self, id: str, body: m.CampaignWinnerInput, /) -> m.CampaignsChooseWinnerAnswer: ...

    async def choose_winner(
        self,
        id: str,
        /,
        *body: m.CampaignWinnerInput,
        **fields: Any,
    ) -> m.CampaignsChooseWinnerAnswer:
        answer: m.CampaignsChooseWinnerAnswer = await self._caller.json(O["campaigns.chooseWinner"], (id,), fields, *body)
        return answer

    async def zones(self, id: str, /) -> m.CampaignsZonesAnswer:
        """How far a campaign in local time or within a send window is, zone by zone.

        In the order of their times. Empty before it begins, and of a campaign that goes to everybody at once. Of one whose
        window is by the clock of one zone everybody is in that.

        Scope: `campaigns:read`, or a key that has no reading scope

        GET /campaigns/{id}/zones
        """
        answer: m.CampaignsZonesAnswer = await self._caller.json(O["campaigns.zones"], (id,), {})
        return answer

    async def failures(self, id: str, /) -> m.CampaignsFailuresAnswer:
        """Count the failed emails of a campaign by reason.

        Of those recipients to whom POST /campaigns/:id/retry sends again: by the latest email of each, without those who were
        erased since.

        Scope: `campaigns:read`, or a key that has no reading scope

        GET /campaigns/{id}/failures
        """
        answer: m.CampaignsFailuresAnswer = await self._caller.json(O["campaigns.failures"], (id,), {})
        return answer

    @overload
    async def retry(
        self,
        id: str,
        /,
        *,
        outcomes: List[m.RecipientFailure],
        idempotency_key: str | Omit = OMIT,
    ) -> m.CampaignsRetryAnswer:
        """Send a campaign again to those whose email failed.

        To those recipients whose latest email failed for one of the `outcomes`, once each, whoever else asks for it at the same
        time. An email with `outcome_unknown` may have arrived: who got it gets it twice, and `mayArriveTwice` says how many
        those are. Who has unsubscribed, bounced or was suppressed since is skipped. The failed rows stay as they are and name
        what follows them in `retried_as`. The campaign is `sending` until they are settled, its counts are those of the latest
        email of each, and `campaign.completed` is told once more. Where that takes longer than a request may, the answer has
        `more` and the numbers of those who were done: ask again for the others, under another Idempotency-Key.
        `invalid_status`: it has neither begun nor been sent, was cancelled, or its `endsAt` has passed.

        Scope: `campaigns:write`

        POST /campaigns/{id}/retry

        outcomes: Why their emails failed
        idempotency_key: One of yours, like `invoice-2207-paid`; made for each call when omitted
        """

    @overload
    async def retry(
        self,
        id: str,
        body: m.CampaignRetryInput,
        /,
        *,
        idempotency_key: str | Omit = OMIT,
    ) -> m.CampaignsRetryAnswer: ...

    async def retry(self, id: str, /, *body: m.CampaignRetryInput, **fields: Any) -> m.CampaignsRetryAnswer:
        answer: m.CampaignsRetryAnswer = await self._caller.json(O["campaigns.retry"], (id,), fields, *body)
        return answer


class AsyncContacts:
    """`everpost.contacts`: The people of a project, each with one address"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def export(
        self,
        *,
        status: m.ContactStatus | Omit = OMIT,
        tag: str | Omit = OMIT,
        email: m.Email | Omit = OMIT,
        q: str | Omit = OMIT,
        attributes: str | Omit = OMIT,
    ) -> AsyncDownload:
        """Export contacts as CSV, newest first.

        CSV by RFC 4180 in UTF-8, as a stream: the first row has the names of the columns. A cell that begins with `=`, `+`,
        `-`, `@`, a tab or a carriage return has an apostrophe before it, so that no spreadsheet takes it for a formula; an
        import takes it away again. The columns have names that an import knows, but for those marked *: `id`*, `email`,
        `first_name`, `last_name`, `display_name`, `status`, `suppressed` (the reason), `brand`*, `source`, `tags` between
        commas, `timezone`, `locale`, `consent.source`, `consent.ip`, `consent.user_agent`, `consent.at`, `created_at`*,
        `updated_at`*, `attributes`* as JSON, `topics.<key>` of each topic of the project, and `attributes.<name>` of those that
        `attributes` names. The filters are those of GET /contacts.

        Scope: `contacts:read`

        GET /contacts/export

        status: `pending`: not asked yet. `unsubscribed` and `bounced` contacts get no marketing email
        tag: One that they carry
        email: The whole address, in any spelling
        q: Part of the email or of a name, without regard to case
        attributes: Names of attributes, between commas, that are columns of their own beside `attributes`, which has all of
        them as JSON
        """
        answer: AsyncDownload = await self._caller.download(O["contacts.export"], (), {"status": status, "tag": tag, "email": email, "q": q, "attributes": attributes})
        return answer

    @overload
    async def upsert(
        self,
        *,
        email: m.Email,
        id: str | None | Omit = OMIT,
        status: m.ContactStatus | None | Omit = OMIT,
        resubscribe: bool | None | Omit = OMIT,
        brand: str | None | Omit = OMIT,
        source: str | None | Omit = OMIT,
        first_name: str | None | Omit = OMIT,
        last_name: str | None | Omit = OMIT,
        display_name: str | None | Omit = OMIT,
        tags: List[str] | None | Omit = OMIT,
        timezone: str | None | Omit = OMIT,
        locale: str | None | Omit = OMIT,
        attributes: Mapping[str, m.JsonValue] | None | Omit = OMIT,
        topics: Mapping[str, bool] | None | Omit = OMIT,
        consent: m.Consent | None | Omit = OMIT,
    ) -> m.ContactsUpsertAnswer:
        """Create or update contacts by email.

        One object or an array of 1 to 1000. An array is all or nothing; the same email twice is applied in order. A backend
        that signs a person up hands over the person's own consent in `consent`, since the calling request is its own: `{
        "email": "ada@example.com", "consent": { "source": "signup-form", "ip": "203.0.113.7", "userAgent": "Mozilla/5.0
        (Macintosh)" } }`.

        Scope: `contacts:write`

        POST /contacts

        id: Honored on insert only
        status: subscribed on insert, where the brand has double opt-in `pending`; left as it is on an existing contact.
        `pending` asks the person to confirm by an email where the brand has a confirmation template that is enabled, at most
        once an hour
        resubscribe: Must be true to move a contact out of unsubscribed or bounced, and to turn a topic on that is off
        brand: Of a new contact: a brand's slug, the project's default when omitted. An existing one keeps its brand
        source: Where the contact comes from; your own word
        first_name: null clears
        last_name: null clears
        display_name: null clears
        tags: Replaces the tags; [] clears them
        timezone: IANA name, like Europe/Berlin
        locale: BCP 47, like de-CH
        attributes: Merged into what the contact has, where 100 keys and 16 KB are possible; a null value removes its key. At
        most 64 KB
        topics: Topics that the person chose; the others stay as they are. What is off stays off unless `resubscribe` is true: a
        sign-up form says the same of everybody, and takes nobody's no back
        consent: What shows that the person agreed. Without it the record of a new contact has `source` and the address and user
        agent of the calling request: those of your backend, so hand over the person's. On an existing contact nothing else
        rewrites the record, which GET /contacts/:id shows
        """

    @overload
    async def upsert(self, body: m.ContactsUpsertBody, /) -> m.ContactsUpsertAnswer: ...

    async def upsert(self, *body: m.ContactsUpsertBody, **fields: Any) -> m.ContactsUpsertAnswer:
        answer: m.ContactsUpsertAnswer = await self._caller.json(O["contacts.upsert"], (), fields, *body)
        return answer

    async def list(
        self,
        *,
        status: m.ContactStatus | Omit = OMIT,
        tag: str | Omit = OMIT,
        email: m.Email | Omit = OMIT,
        q: str | Omit = OMIT,
        limit: int | Omit = OMIT,
        cursor: str | Omit = OMIT,
        direction: Literal['next', 'previous'] | Omit = OMIT,
        counts: Literal['all', 'kept'] | Omit = OMIT,
    ) -> m.ContactsListAnswer:
        """List contacts, newest first.

        Scope: `contacts:read`

        GET /contacts

        status: `pending`: not asked yet. `unsubscribed` and `bounced` contacts get no marketing email
        tag: One that they carry
        email: The whole address, in any spelling
        q: Part of the email or of a name, without regard to case
        limit: 50 when omitted
        cursor: From the answer before; the filters stay as they are
        direction: next reads older contacts, previous newer ones
        counts: kept: what a search finds is not counted where that takes time
        """
        answer: m.ContactsListAnswer = await self._caller.json(O["contacts.list"], (), {"status": status, "tag": tag, "email": email, "q": q, "limit": limit, "cursor": cursor, "direction": direction, "counts": counts})
        return answer

    def iterate(
        self,
        *,
        status: m.ContactStatus | Omit = OMIT,
        tag: str | Omit = OMIT,
        email: m.Email | Omit = OMIT,
        q: str | Omit = OMIT,
        limit: int | Omit = OMIT,
        counts: Literal['all', 'kept'] | Omit = OMIT,
    ) -> AsyncIterator[m.ListedContact]:
        """List contacts, newest first: each of them, over all pages. Pages are asked for as they are needed."""
        return self._caller.pages(O["contacts.list"], (), {"status": status, "tag": tag, "email": email, "q": q, "limit": limit, "counts": counts}, ('contacts',), "cursor")

    async def get(self, id: str, /) -> m.ContactsGetAnswer:
        """Read one contact with its consent record.

        Scope: `contacts:read`

        GET /contacts/{id}
        """
        answer: m.ContactsGetAnswer = await self._caller.json(O["contacts.get"], (id,), {})
        return answer

    async def delete(self, id: str, /) -> m.ContactsDeleteAnswer:
        """Erase a contact and what tells of the person.

        The contact goes with its consent record, its events, and its place in audiences; its running enrollments are cancelled,
        recipients of campaigns that have not got their email are skipped. In the send log address, subject and contact_id are
        emptied, in outgoing webhook events whatever names the person (`erased: true` says so, in repeated deliveries too);
        ended enrollments have the id of nobody. Counts stay. A suppressed address stays suppressed by its hash: the list does
        not show it, DELETE /suppressions/:email with the address lifts it. After the answer nothing more is submitted to the
        provider; what was submitted before is not recalled. The same address may become a new contact. There is no way back.

        Scope: `contacts:write`

        DELETE /contacts/{id}
        """
        answer: m.ContactsDeleteAnswer = await self._caller.json(O["contacts.delete"], (id,), {})
        return answer

    async def unsubscribe(self, id: str, /) -> m.ContactsUnsubscribeAnswer:
        """Unsubscribe a contact from marketing email.

        It enters no sequence any more. Runs that it is in go on, and skip their marketing emails; transactional email still
        goes out.

        Scope: `contacts:write`

        POST /contacts/{id}/unsubscribe
        """
        answer: m.ContactsUnsubscribeAnswer = await self._caller.json(O["contacts.unsubscribe"], (id,), {})
        return answer

    async def export_person(self, id: str, /) -> m.PersonalData:
        """Export all that is known of a person, as JSON.

        For who asks what is known of them, or takes it elsewhere (GDPR art. 15 and 20). A stream of one JSON object, outside of
        the usual envelope: each list is whole, the newest first; those of `sends` that name no contact come after the others,
        and of `copies` those that wait before the others. `scheduled`, `sends`, `copies` and the emails of the timeline are in
        it for keys that have `sends:read` too, which `withMails` says, and `steps` of runs for keys that have `sequences:read`,
        which `withSteps` says. What retention has dropped is not in it. Contents of emails and files are not kept with the
        person: GET /sends/:id/mail shows what an email was. What tells of other people is left out of emails with copies.
        Events for your own webhook endpoints are not in it: they repeat what is in it, and are kept until 30 days after the
        last attempt to deliver them.

        Scope: `contacts:read`

        GET /contacts/{id}/export
        """
        answer: m.PersonalData = await self._caller.json(O["contacts.exportPerson"], (id,), {})
        return answer

    async def timeline(
        self,
        id: str,
        /,
        *,
        kind: Literal['contact_created', 'consent_changed', 'suppressed', 'event', 'event_refused', 'mail_sent', 'mail_failed', 'mail_skipped', 'mail_reported', 'mail_opened', 'mail_clicked', 'sequence_entered', 'sequence_left', 'enrollment_refused', 'campaign_left_out'] | Omit = OMIT,
        limit: int | Omit = OMIT,
        cursor: str | Omit = OMIT,
    ) -> m.ContactsTimelineAnswer:
        """Read what happened to a contact, newest first.

        Emails with what came of them, those that a sequence left out, product events, sequences entered and left, events and
        enrollments that were refused since the contact had unsubscribed, changes of status and consent, suppression and how the
        contact came to be, in one list. Emails are in it for keys that have `sends:read` too. What retention has dropped
        (events, refusals and reports after 90 days, emails that were left out a year after the end of their run) is not in it;
        changes of consent are kept for as long as the contact. A consent that is given once more, with the same source, address
        and user agent, is no change. Campaigns that left the contact out are in it for a year.

        Scope: `contacts:read`

        GET /contacts/{id}/timeline

        kind: Only what is of this kind; all when omitted
        limit: 50 when omitted
        cursor: `nextCursor` of the page before
        """
        answer: m.ContactsTimelineAnswer = await self._caller.json(O["contacts.timeline"], (id,), {"kind": kind, "limit": limit, "cursor": cursor})
        return answer

    def iterate_timeline(
        self,
        id: str,
        /,
        *,
        kind: Literal['contact_created', 'consent_changed', 'suppressed', 'event', 'event_refused', 'mail_sent', 'mail_failed', 'mail_skipped', 'mail_reported', 'mail_opened', 'mail_clicked', 'sequence_entered', 'sequence_left', 'enrollment_refused', 'campaign_left_out'] | Omit = OMIT,
        limit: int | Omit = OMIT,
    ) -> AsyncIterator[m.TimelineEntry]:
        """Read what happened to a contact, newest first: each of them, over all pages. Pages are asked for as they are needed."""
        return self._caller.pages(O["contacts.timeline"], (id,), {"kind": kind, "limit": limit}, ('timeline',), "cursor")


class AsyncDomains:
    """`everpost.domains`"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(self) -> m.DomainsListAnswer:
        """List the project's sending domains by name.

        Any key will do.

        GET /domains
        """
        answer: m.DomainsListAnswer = await self._caller.json(O["domains.list"], (), {})
        return answer

    @overload
    async def create(
        self,
        *,
        domain: str,
        ed25519: bool | None | Omit = OMIT,
        ramp: m.DomainRampInput | None | Omit = OMIT,
    ) -> m.DomainsCreateAnswer:
        """Add a sending domain, and get the DNS records to set.

        One that is there already is answered as it is, but for `ed25519`: true and `ramp`, which it then has. Set its records
        where the DNS of the domain is hosted, then POST /domains/:id/verify. It is verified once the records for ownership and
        DKIM are found. A project has at most 100 (`too_many_domains`).

        Scope: `domains:write`

        POST /domains

        domain: Like `example.com`, or a subdomain that you send from
        ed25519: true: its mail is signed by Ed25519 beside RSA, once that record is found, too. It is not when omitted
        ramp: Campaigns begin with few emails a day from it. No ramp when omitted
        """

    @overload
    async def create(self, body: m.SendingDomainInput, /) -> m.DomainsCreateAnswer: ...

    async def create(self, *body: m.SendingDomainInput, **fields: Any) -> m.DomainsCreateAnswer:
        answer: m.DomainsCreateAnswer = await self._caller.json(O["domains.create"], (), fields, *body)
        return answer

    async def get(self, id: str, /) -> m.DomainsGetAnswer:
        """Get a sending domain with its DNS records.

        Any key will do.

        GET /domains/{id}
        """
        answer: m.DomainsGetAnswer = await self._caller.json(O["domains.get"], (id,), {})
        return answer

    @overload
    async def update(
        self,
        id: str,
        /,
        *,
        ed25519: bool | None | Omit = OMIT,
        ramp: m.DomainRampInput | None | Omit = OMIT,
    ) -> m.DomainsUpdateAnswer:
        """Change how the email of a sending domain is signed, and how much of it goes.

        With `ramp` campaigns send so many emails a day from it and its subdomains, where these have none of their own; other
        emails count, and are not held. A ramp that is changed stays on its day, and null takes it away; campaigns that wait for
        the next day look again. With `ed25519` it gets one more DKIM record to set; its mail is signed by RSA alone until that
        is found. Without, nothing is signed by Ed25519 half a minute later; keep the record for 7 days (`keep_until`).

        Scope: `domains:write`

        PATCH /domains/{id}

        ed25519: Whether its mail is signed by Ed25519 beside RSA; kept when omitted
        ramp: Its daily ramp; null: none. Kept when omitted
        """

    @overload
    async def update(self, id: str, body: m.SendingDomainChange, /) -> m.DomainsUpdateAnswer: ...

    async def update(self, id: str, /, *body: m.SendingDomainChange, **fields: Any) -> m.DomainsUpdateAnswer:
        answer: m.DomainsUpdateAnswer = await self._caller.json(O["domains.update"], (id,), fields, *body)
        return answer

    async def delete(self, id: str, /) -> m.DomainsDeleteAnswer:
        """Delete a sending domain and its DKIM keys.

        Mail from it is refused from then on (`invalid_from`), also where an operator had vouched for it. Added again, it has
        other records to set.

        Scope: `domains:write`

        DELETE /domains/{id}
        """
        answer: m.DomainsDeleteAnswer = await self._caller.json(O["domains.delete"], (id,), {})
        return answer

    async def verify(self, id: str, /) -> m.DomainsVerifyAnswer:
        """Ask DNS for the records of a sending domain now.

        Answers when DNS has, in some seconds at most. An outage of DNS changes nothing: it says why in `unavailable` of the
        records, and the domain stays what it was. A domain that was verified and lacks a required record is `failing`, and is
        not verified any more after 3 days.

        Scope: `domains:write`

        POST /domains/{id}/verify
        """
        answer: m.DomainsVerifyAnswer = await self._caller.json(O["domains.verify"], (id,), {})
        return answer

    async def rotate(self, id: str, /) -> m.DomainsRotateAnswer:
        """Make new DKIM keys for a sending domain.

        Answers with the records of the new keys beside the others. The old ones sign until these records are found; then the
        new ones do, the old records are to be kept for 7 days, and after that the old private keys are deleted and their
        records can be taken away. A key that waits for its record already is the new one: no further one is made.

        Scope: `domains:write`

        POST /domains/{id}/rotate
        """
        answer: m.DomainsRotateAnswer = await self._caller.json(O["domains.rotate"], (id,), {})
        return answer


class AsyncEnrollments:
    """`everpost.enrollments`: One contact's run through one sequence"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def get(self, id: str, /, *, limit: int | Omit = OMIT, cursor: str | Omit = OMIT) -> m.EnrollmentsGetAnswer:
        """Read one enrollment with every node that it visited.

        Its steps are paged from the end: a run in a loop may have 10,000 of them.

        Scope: `sequences:read`

        GET /enrollments/{id}

        limit: 250 when omitted
        cursor: From the answer before; the filters stay as they are
        """
        answer: m.EnrollmentsGetAnswer = await self._caller.json(O["enrollments.get"], (id,), {"limit": limit, "cursor": cursor})
        return answer

    def iterate_steps(self, id: str, /, *, limit: int | Omit = OMIT) -> AsyncIterator[m.EnrollmentStep]:
        """Read one enrollment with every node that it visited: each of them, over all pages. Pages are asked for as they are
        needed.
        """
        return self._caller.pages(O["enrollments.get"], (id,), {"limit": limit}, ('enrollment', 'steps'), "cursor")

    async def cancel(self, id: str, /) -> m.EnrollmentsCancelAnswer:
        """Cancel an active enrollment; its remaining steps never send.

        Scope: `sequences:write`

        DELETE /enrollments/{id}
        """
        answer: m.EnrollmentsCancelAnswer = await self._caller.json(O["enrollments.cancel"], (id,), {})
        return answer


class AsyncEvents:
    """`everpost.events`: What contacts do in the product"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    @overload
    async def track(
        self,
        *,
        email: m.Email,
        contact_id: str | None | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
        **fields: Unpack[a.EventsTrackFields],
    ) -> m.EventsTrackAnswer:
        """Track a product event.

        Upserts the contact, cancels its enrollments in exitSequences, re-arms flows that wait for the event, and enrolls it
        into every active sequence whose trigger is this type. Where a run of the contact gathers such events, the event is
        counted into its digest and enrolls nobody there. The consent record of a contact that it makes is that of the calling
        request; POST /contacts takes the person's own in `consent`. Of an unsubscribed contact nothing is written but that the
        event was refused, which its timeline shows.

        Scope: `sequences:write`

        POST /events

        type: What happened; your own word, matched exactly
        email: Required unless contactId is given; an unknown one becomes a contact
        contact_id: Takes precedence over email
        data: Payload, for templates and branch conditions. At most 256 KB
        exit_sequences: Keys of sequences; one that nobody has is ignored
        idempotency_key: One of yours, like `invoice-2207-paid`; made for each call when omitted
        """

    @overload
    async def track(
        self,
        *,
        contact_id: str,
        email: m.Email | None | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
        **fields: Unpack[a.EventsTrackFields],
    ) -> m.EventsTrackAnswer: ...

    @overload
    async def track(self, body: m.EventInput, /, *, idempotency_key: str | Omit = OMIT) -> m.EventsTrackAnswer: ...

    async def track(self, *body: m.EventInput, **fields: Any) -> m.EventsTrackAnswer:
        answer: m.EventsTrackAnswer = await self._caller.json(O["events.track"], (), fields, *body)
        return answer


class AsyncFiles:
    """`everpost.files`: What is sent with emails often: uploaded once"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def upload(self, *, file: FileInput, idempotency_key: str | Omit = OMIT) -> m.FilesUploadAnswer:
        """Upload a file for emails.

        One part named `file`, with a filename of at most 255 characters; at most 25 MB. The same bytes are kept once, however
        often they are uploaded. A file lives until it is deleted, or a year after its last use. The upload may take 240
        seconds.

        Scope: `send`

        POST /files

        file: The bytes, with a filename and their Content-Type
        idempotency_key: One of yours, like `invoice-2207-paid`; made for each call when omitted
        """
        answer: m.FilesUploadAnswer = await self._caller.json(O["files.upload"], (), {"file": file, "idempotency_key": idempotency_key})
        return answer

    async def list(self, *, limit: int | Omit = OMIT, cursor: str | Omit = OMIT) -> m.FilesListAnswer:
        """List the uploaded files, newest first.

        Scope: `send`

        GET /files

        limit: 50 when omitted
        cursor: From the answer before; the filters stay as they are
        """
        answer: m.FilesListAnswer = await self._caller.json(O["files.list"], (), {"limit": limit, "cursor": cursor})
        return answer

    def iterate(self, *, limit: int | Omit = OMIT) -> AsyncIterator[m.File]:
        """List the uploaded files, newest first: each of them, over all pages. Pages are asked for as they are needed."""
        return self._caller.pages(O["files.list"], (), {"limit": limit}, ('files',), "cursor")

    async def get(self, id: str, /) -> m.FilesGetAnswer:
        """Read what is known of an uploaded file.

        Scope: `send`

        GET /files/{id}
        """
        answer: m.FilesGetAnswer = await self._caller.json(O["files.get"], (id,), {})
        return answer

    async def delete(self, id: str, /) -> m.FilesDeleteAnswer:
        """Delete an uploaded file.

        Emails that were asked for with it go as they are: its bytes stay for as long as one of them needs them.

        Scope: `send`

        DELETE /files/{id}
        """
        answer: m.FilesDeleteAnswer = await self._caller.json(O["files.delete"], (id,), {})
        return answer

    async def content(self, id: str, /) -> AsyncDownload:
        """Download an uploaded file.

        As it was uploaded, under its own Content-Type; as a download, never shown.

        Scope: `send`

        GET /files/{id}/content
        """
        answer: AsyncDownload = await self._caller.download(O["files.content"], (id,), {})
        return answer


class AsyncImages:
    """`everpost.images`: Pictures that emails show, under public addresses"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def upload(self, *, file: FileInput) -> m.ImagesUploadAnswer:
        """Upload a picture for emails.

        One part named `file`, with a filename: a PNG, JPEG, GIF or WebP, by its bytes and not by its name; at most 5 MB, 8,000
        pixels a side and 25 million in all. It is published as it is, under an address with its hash which asks for no key,
        until it is deleted. The same bytes are one image, so an upload may be repeated. A project has at most 2,000
        (`too_many_images`).

        Scope: `templates:write`

        POST /images

        file: The bytes, with a filename
        """
        answer: m.ImagesUploadAnswer = await self._caller.json(O["images.upload"], (), {"file": file})
        return answer

    async def list(self, *, limit: int | Omit = OMIT, cursor: str | Omit = OMIT) -> m.ImagesListAnswer:
        """List the uploaded pictures, newest first.

        Scope: `templates:read`, or a key that has no reading scope

        GET /images

        limit: 50 when omitted
        cursor: From the answer before; the filters stay as they are
        """
        answer: m.ImagesListAnswer = await self._caller.json(O["images.list"], (), {"limit": limit, "cursor": cursor})
        return answer

    def iterate(self, *, limit: int | Omit = OMIT) -> AsyncIterator[m.Image]:
        """List the uploaded pictures, newest first: each of them, over all pages. Pages are asked for as they are needed."""
        return self._caller.pages(O["images.list"], (), {"limit": limit}, ('images',), "cursor")

    async def delete(self, id: str, /) -> m.ImagesDeleteAnswer:
        """Delete an uploaded picture.

        Its address is 404 from then on, in emails that were sent as well: they show what the picture is said to show.

        Scope: `templates:write`

        DELETE /images/{id}
        """
        answer: m.ImagesDeleteAnswer = await self._caller.json(O["images.delete"], (id,), {})
        return answer


class AsyncImports:
    """`everpost.imports`: Files of contacts that become contacts"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        *,
        file: FileInput,
        settings: m.ImportSettings | Omit = OMIT,
        dry_run: bool | Omit = OMIT,
    ) -> m.ImportsCreateAnswer:
        """Import contacts from a CSV file.

        A form with one file, and its settings as JSON. At most 256 MB and 1,000,000 lines, in UTF-8. What is wrong with the
        settings or the columns is answered at once; the rows are read by a workflow that goes on whatever process dies, each
        row once. A row creates or updates a contact as POST /contacts does, but for this: an empty cell says nothing, tags are
        added, no row takes an unsubscription, a bounce or a topic that is off back, and nobody is asked to confirm. At most 5
        at a time run or are paused (`too_many_imports`). The upload may take 600 seconds.

        Scope: `contacts:write`

        POST /imports

        file: The CSV, with a filename
        dry_run: `1`: nothing is done, and the answer says what would be
        """
        answer: m.ImportsCreateAnswer = await self._caller.json(O["imports.create"], (), {"settings": settings, "file": file, "dry_run": dry_run})
        return answer

    async def list(
        self,
        *,
        status: Literal['running', 'paused', 'completed', 'cancelled', 'failed'] | Omit = OMIT,
        limit: int | Omit = OMIT,
        cursor: str | Omit = OMIT,
    ) -> m.ImportsListAnswer:
        """List imports, the newest first.

        They are kept for 30 days.

        Scope: `contacts:read`

        GET /imports

        status: How it stands
        limit: 50 when omitted
        cursor: From the answer before; the filters stay as they are
        """
        answer: m.ImportsListAnswer = await self._caller.json(O["imports.list"], (), {"status": status, "limit": limit, "cursor": cursor})
        return answer

    def iterate(
        self,
        *,
        status: Literal['running', 'paused', 'completed', 'cancelled', 'failed'] | Omit = OMIT,
        limit: int | Omit = OMIT,
    ) -> AsyncIterator[m.Import]:
        """List imports, the newest first: each of them, over all pages. Pages are asked for as they are needed."""
        return self._caller.pages(O["imports.list"], (), {"status": status, "limit": limit}, ('imports',), "cursor")

    async def columns(self, *, file: FileInput, settings: m.ImportSettings | Omit = OMIT) -> m.ImportsColumnsAnswer:
        """Preview the columns of a CSV file.

        The form of POST /imports, of whose file the beginning is enough (up to 1 MB, best to the end of a line). Nothing is
        kept or imported. What is wrong with the mapping is `invalid_request`, as POST /imports answers it, but for a file of
        which no column is the email, or of which two are the same by their names: the second is nothing then.

        Scope: `contacts:write`

        POST /imports/columns

        file: The CSV, with a filename
        """
        answer: m.ImportsColumnsAnswer = await self._caller.json(O["imports.columns"], (), {"settings": settings, "file": file})
        return answer

    async def get(self, id: str, /) -> m.ImportsGetAnswer:
        """How far an import is, and what its rows came to.

        Scope: `contacts:read`

        GET /imports/{id}
        """
        answer: m.ImportsGetAnswer = await self._caller.json(O["imports.get"], (id,), {})
        return answer

    async def refused(self, id: str, /) -> AsyncDownload:
        """The rows that an import refused, as CSV.

        CSV by RFC 4180 in UTF-8, as a stream: the first row has the names of the columns. A cell that begins with `=`, `+`,
        `-`, `@`, a tab or a carriage return has an apostrophe before it, so that no spreadsheet takes it for a formula; an
        import takes it away again. The columns are those of the file, then `reason`, and behind it cells for which there is no
        column: mended, it may be imported again. So far, while the import runs.

        Scope: `contacts:read`

        GET /imports/{id}/refused
        """
        answer: AsyncDownload = await self._caller.download(O["imports.refused"], (id,), {})
        return answer

    async def pause(self, id: str, /) -> m.ImportsPauseAnswer:
        """Pause an import.

        After the answer it imports no row more until it is resumed. `invalid_status`: it has ended.

        Scope: `contacts:write`

        POST /imports/{id}/pause
        """
        answer: m.ImportsPauseAnswer = await self._caller.json(O["imports.pause"], (id,), {})
        return answer

    async def resume(self, id: str, /) -> m.ImportsResumeAnswer:
        """Let a paused import go on.

        It goes on with the next row. `invalid_status`: it has ended.

        Scope: `contacts:write`

        POST /imports/{id}/resume
        """
        answer: m.ImportsResumeAnswer = await self._caller.json(O["imports.resume"], (id,), {})
        return answer

    async def cancel(self, id: str, /) -> m.ImportsCancelAnswer:
        """Cancel an import; what was imported stays.

        After the answer it imports no row more. `invalid_status`: it has ended by itself.

        Scope: `contacts:write`

        POST /imports/{id}/cancel
        """
        answer: m.ImportsCancelAnswer = await self._caller.json(O["imports.cancel"], (id,), {})
        return answer


class AsyncInbound:
    """`everpost.inbound`: What delivery providers report"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def report_by_mail(self, inbound_id: str, body: str | bytes, /) -> m.InboundReportByMailAnswer:
        """Take a bounce or a complaint that came by mail.

        The body is the mail itself, as a mail server or a rule of a mailbox hands it over; what is beyond 256 KB of it is not
        read, and 5 MB are refused. Basic authentication proves it: any user, with the project's inbound secret as the password.
        Understood are delivery reports (RFC 3464), the bounces of qmail, Exim and others that have no such part, and complaints
        (RFC 5965). The email that it is about is found by the address that the report was sent to, where `RETURN_PATH` is set,
        or by the `Message-ID` that it quotes. Any other mail, like an absence note, is answered with `received: 0`. Each report
        counts once.

        No key is asked for.

        POST /inbound/dsn/{inboundId}
        """
        answer: m.InboundReportByMailAnswer = await self._caller.json(O["inbound.reportByMail"], (inbound_id,), {}, body)
        return answer

    @overload
    async def report(
        self,
        provider: str,
        inbound_id: str,
        /,
        *,
        type: Literal['delivered', 'bounced', 'complained', 'opened', 'clicked'],
        provider_id: str,
        timestamp: str,
        bounce: m.Bounce1 | None | Omit = OMIT,
        email: str | None | Omit = OMIT,
        url: str | None | Omit = OMIT,
    ) -> m.InboundReportAnswer:
        """Take what a delivery provider reports.

        The signature decides, over the exact body; without a right one nothing changes. generic: Standard Webhooks headers with
        the project's inbound secret, 5 minutes of tolerance. resend: the same headers (svix-… too) with the signing secret that
        is stored for the project. ses: SNS over https; signature, certificate and topic are checked, the topic against those
        stored for the project, and a subscription of such a topic is confirmed. sendgrid: the signed event webhook with the
        verification key stored. postmark: basic authentication with what is stored. mailgun: the signature in the body with the
        webhook signing key that is stored, 24 hours of tolerance. An operator stores these with the admin CLI (`inbound set`);
        until then resend takes the project's inbound secret, ses takes nothing, sendgrid takes nothing, postmark takes the
        project's inbound secret as the password of any user, mailgun takes nothing. Each event counts once, in any order; one
        about a send that nobody knows is ignored.

        No key is asked for.

        POST /inbound/{provider}/{inboundId}

        type: What happened to the email
        provider_id: The id that POST /send returned, which is the send log's provider_id
        timestamp: When it happened
        bounce: Of a bounce; hard when omitted
        email: Of an email with copies: which recipient it is about; `to` when omitted
        url: The link of a click
        """

    @overload
    async def report(self, provider: str, inbound_id: str, body: m.InboundReportBody, /) -> m.InboundReportAnswer: ...

    async def report(
        self,
        provider: str,
        inbound_id: str,
        /,
        *body: m.InboundReportBody,
        **fields: Any,
    ) -> m.InboundReportAnswer:
        answer: m.InboundReportAnswer = await self._caller.json(O["inbound.report"], (provider, inbound_id), fields, *body)
        return answer


class AsyncKeys:
    """`everpost.keys`"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(self) -> m.KeysListAnswer:
        """List the project's API keys with their last use, newest first.

        The keys themselves are shown only when they are made, by `POST /keys` or an operator (`key create`).

        Scope: `keys:read`

        GET /keys
        """
        answer: m.KeysListAnswer = await self._caller.json(O["keys.list"], (), {})
        return answer

    @overload
    async def create(
        self,
        *,
        scopes: List[Literal['contacts:read', 'contacts:write', 'segments:read', 'send', 'sends:read', 'templates:read', 'templates:write', 'sequences:read', 'sequences:write', 'campaigns:read', 'campaigns:write', 'suppressions:read', 'suppressions:write', 'webhooks:read', 'webhooks:write', 'keys:read', 'keys:write', 'brands:write', 'domains:write', 'topics:write', '*']],
        name: str | None | Omit = OMIT,
        is_test: bool | None | Omit = OMIT,
    ) -> m.KeysCreateAnswer:
        """Make an API key, which is shown once.

        A key gives no more than it has itself, reads without a scope among it; a test key makes test keys (`forbidden`). At
        most 500 keys of a project work at once (`too_many_keys`). The key works at once, and stays when the one that made it is
        revoked.

        Scope: `keys:write`

        POST /keys

        name: For people: whose it is, or of which program
        scopes: What it may do, and no more than the key that makes it
        is_test: Whether it is a test key; as the key that makes it when omitted
        """

    @overload
    async def create(self, body: m.ApiKeyInput, /) -> m.KeysCreateAnswer: ...

    async def create(self, *body: m.ApiKeyInput, **fields: Any) -> m.KeysCreateAnswer:
        answer: m.KeysCreateAnswer = await self._caller.json(O["keys.create"], (), fields, *body)
        return answer

    async def revoke(self, id: str, /) -> m.KeysRevokeAnswer:
        """Revoke an API key: it stops with its next request.

        With it end its sessions of the console. A key revokes those that may no more than itself, itself among them; a test key
        revokes test keys. Keys that it made stay: `made_by` names them. One that is revoked already stays so.

        Scope: `keys:write`

        DELETE /keys/{id}
        """
        answer: m.KeysRevokeAnswer = await self._caller.json(O["keys.revoke"], (id,), {})
        return answer


class AsyncPages:
    """`everpost.pages`"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def show_confirm(self, *, c: str | Omit = OMIT, t: str | Omit = OMIT) -> str:
        """Show the page on which a person confirms a sign-up.

        A page with one button; changes nothing. A link that is not right gets a 400 page.

        No key is asked for.

        GET /confirm

        c: The confirmation
        t: Its token
        """
        answer: str = await self._caller.text(O["pages.showConfirm"], (), {"c": c, "t": t})
        return answer

    async def confirm(self, *, c: str | Omit = OMIT, t: str | Omit = OMIT) -> str:
        """Confirm a sign-up by the link of its email.

        What the button of the page does. Takes any body, unread. The contact is `subscribed`, with the address and browser of
        the request and the words of the page as its proof; `contact.confirmed` is told, and comes as an event by which
        sequences are entered. Asked again it changes nothing. A link that is not right gets a 400 page.

        No key is asked for.

        POST /confirm

        c: The confirmation
        t: Its token
        """
        answer: str = await self._caller.text(O["pages.confirm"], (), {"c": c, "t": t})
        return answer

    async def show_unsubscribe(
        self,
        *,
        c: str | Omit = OMIT,
        t: str | Omit = OMIT,
        s: str | Omit = OMIT,
        topic: str | Omit = OMIT,
    ) -> str:
        """Show the unsubscribe page of an email.

        A page with one button, or with a switch for each topic of the project; changes nothing. A link that is not right gets a
        400 page.

        No key is asked for.

        GET /unsubscribe

        c: The contact
        t: Its token
        s: The send that the link was in; advisory
        topic: The key of the topic that it is about
        """
        answer: str = await self._caller.text(O["pages.showUnsubscribe"], (), {"c": c, "t": t, "s": s, "topic": topic})
        return answer

    async def unsubscribe(
        self,
        *,
        c: str | Omit = OMIT,
        t: str | Omit = OMIT,
        s: str | Omit = OMIT,
        topic: str | Omit = OMIT,
    ) -> str:
        """Unsubscribe by the link of an email (RFC 8058).

        Takes any body, unread. The link of an email that is of a topic leaves that topic, any other everything. Answers with a
        page that has a way back. A link that is not right gets a 400 page.

        No key is asked for.

        POST /unsubscribe

        c: The contact
        t: Its token
        s: The send that the link was in; advisory
        topic: The key of the topic that it is about
        """
        answer: str = await self._caller.text(O["pages.unsubscribe"], (), {"c": c, "t": t, "s": s, "topic": topic})
        return answer

    async def resubscribe(
        self,
        *,
        c: str | Omit = OMIT,
        t: str | Omit = OMIT,
        s: str | Omit = OMIT,
        topic: str | Omit = OMIT,
    ) -> str:
        """Take an unsubscribe back, with the same link.

        Takes any body, unread. A suppression stays, and so does a bounce. A link that is not right gets a 400 page.

        No key is asked for.

        POST /resubscribe

        c: The contact
        t: Its token
        s: The send that the link was in; advisory
        topic: The key of the topic that it is about
        """
        answer: str = await self._caller.text(O["pages.resubscribe"], (), {"c": c, "t": t, "s": s, "topic": topic})
        return answer

    async def show_preferences(
        self,
        *,
        c: str | Omit = OMIT,
        t: str | Omit = OMIT,
        s: str | Omit = OMIT,
        topic: str | Omit = OMIT,
    ) -> str:
        """Show the page on which a person chooses topics.

        The page of GET /unsubscribe; changes nothing.

        No key is asked for.

        GET /preferences

        c: The contact
        t: Its token
        s: The send that the link was in; advisory
        topic: The key of the topic that it is about
        """
        answer: str = await self._caller.text(O["pages.showPreferences"], (), {"c": c, "t": t, "s": s, "topic": topic})
        return answer

    async def set_preference(
        self,
        *,
        c: str | Omit = OMIT,
        t: str | Omit = OMIT,
        s: str | Omit = OMIT,
        topic: str | Omit = OMIT,
        on: str | Omit = OMIT,
    ) -> str:
        """Turn a topic on or off, with the same link.

        What the switches of the page do. Takes any body, unread. The choice is kept with the address and browser of the
        request, as its proof. Who has unsubscribed stays so. A link that is not right gets a 400 page.

        No key is asked for.

        POST /preferences

        c: The contact
        t: Its token
        s: The send that the link was in; advisory
        topic: The key of the topic that it is about
        on: `true` turns it on, `false` off
        """
        answer: str = await self._caller.text(O["pages.setPreference"], (), {"c": c, "t": t, "s": s, "topic": topic, "on": on})
        return answer


class AsyncProject:
    """`everpost.project`: The key that calls, its project, brands and sending domains, and the other keys"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    @overload
    async def update(
        self,
        *,
        campaign_limits: m.CampaignLimitsInput | Omit = OMIT,
        send_window: m.SendWindowInput | None | Omit = OMIT,
    ) -> m.ProjectUpdateAnswer:
        """Set when marketing emails go, and beyond what campaigns pause by themselves.

        A campaign that is sending pauses by itself, within seconds, when a larger share of its emails has bounced, or was
        reported as spam, than the limit says; of fewer than 100 emails none does. Its `paused_reason` says why. Once it is
        resumed only emails after that count. New limits hold for campaigns that are under way, too. Marketing emails wait for
        `sendWindow`: those of sequences that have none of their own, of campaigns that begin later, and of POST /send. What
        waits for a window looks again when it is changed.

        Scope: `campaigns:write`

        PATCH /project

        send_window: The hours in which marketing emails go; null: at any time; omitted: as it was
        """

    @overload
    async def update(self, body: m.ProjectChange, /) -> m.ProjectUpdateAnswer: ...

    async def update(self, *body: m.ProjectChange, **fields: Any) -> m.ProjectUpdateAnswer:
        answer: m.ProjectUpdateAnswer = await self._caller.json(O["project.update"], (), fields, *body)
        return answer


class AsyncRecurringCampaigns:
    """`everpost.recurring_campaigns`: Campaigns that are made again and again by a rule"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    @overload
    async def create(
        self,
        *,
        recurrence: m.RecurrenceInput,
        template: str,
        audience: m.Audience,
        name: str | None | Omit = OMIT,
        subject: str | None | Omit = OMIT,
        type: m.SendType | None | Omit = OMIT,
        data: Mapping[str, m.JsonValue] | None | Omit = OMIT,
        brand: str | None | Omit = OMIT,
        rate_per_second: int | None | Omit = OMIT,
        send_window: m.SendWindowChoice | None | Omit = OMIT,
        topic: str | None | Omit = OMIT,
        variants: List[m.CampaignVariantInput] | None | Omit = OMIT,
        test: m.CampaignTestInput | None | Omit = OMIT,
        goal: m.CampaignGoalInput | None | Omit = OMIT,
        ends_after_minutes: int | None | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
    ) -> m.RecurringCampaignsCreateAnswer:
        """Have a campaign made again and again.

        At each instant of `recurrence` a campaign of its own is made, for the audience of that moment; GET
        /campaigns?recurringId= lists them. It is checked as POST /campaigns checks, but for who is in the audience now. What
        cannot be made when its time has come is an outcome of GET /recurring-campaigns/:id/runs, and the next one goes on. Of
        several that were due while nothing ran the latest is made, and the others are `missed`. In a project that has campaigns
        approved it makes none before it is approved. A project has at most 100 that have not ended.

        Scope: `campaigns:write`

        POST /recurring-campaigns

        template: The key of a template
        name: For your own lists; no recipient sees it
        subject: Liquid; the template's own when omitted or empty
        type: The template's own when omitted
        data: Template variables; an unknown path renders empty. At most 256 KB
        brand: Whom it comes from; the project's default when omitted. Contacts of all brands get it
        rate_per_second: Emails a second at most; as fast as it goes when omitted
        send_window: Hours in which it goes, in place of the project's window; `none`: at any time. The project's when omitted
        topic: The key of the topic that a marketing email is of: it goes to those alone who have it on, and its unsubscribe
        link leaves the topic
        variants: Arms of a test, whose keys differ. Each contact has its arm for good
        test: The variants are tried on a part; all get them by their weights when omitted
        goal: Whose conversions GET /campaigns/:id/results counts; can be changed at any time
        ends_after_minutes: Nothing of a campaign is sent so many minutes after the instant that it is for; null: until all of
        it is sent
        idempotency_key: One of yours, like `invoice-2207-paid`; made for each call when omitted
        """

    @overload
    async def create(
        self,
        body: m.RecurringCampaignInput,
        /,
        *,
        idempotency_key: str | Omit = OMIT,
    ) -> m.RecurringCampaignsCreateAnswer: ...

    async def create(self, *body: m.RecurringCampaignInput, **fields: Any) -> m.RecurringCampaignsCreateAnswer:
        answer: m.RecurringCampaignsCreateAnswer = await self._caller.json(O["recurringCampaigns.create"], (), fields, *body)
        return answer

    async def list(
        self,
        *,
        status: m.RecurringCampaignStatus | Omit = OMIT,
        limit: int | Omit = OMIT,
        cursor: str | Omit = OMIT,
    ) -> m.RecurringCampaignsListAnswer:
        """List recurring campaigns, newest first.

        Scope: `campaigns:read`, or a key that has no reading scope

        GET /recurring-campaigns

        status: `active`, `paused` until it is resumed, or `ended` for good
        limit: 50 when omitted
        cursor: From the answer before; the filters stay as they are
        """
        answer: m.RecurringCampaignsListAnswer = await self._caller.json(O["recurringCampaigns.list"], (), {"status": status, "limit": limit, "cursor": cursor})
        return answer

    def iterate(
        self,
        *,
        status: m.RecurringCampaignStatus | Omit = OMIT,
        limit: int | Omit = OMIT,
    ) -> AsyncIterator[m.RecurringCampaign]:
        """List recurring campaigns, newest first: each of them, over all pages. Pages are asked for as they are needed."""
        return self._caller.pages(O["recurringCampaigns.list"], (), {"status": status, "limit": limit}, ('recurringCampaigns',), "cursor")

    async def get(self, id: str, /) -> m.RecurringCampaignsGetAnswer:
        """Read one recurring campaign with its next runs.

        Scope: `campaigns:read`, or a key that has no reading scope

        GET /recurring-campaigns/{id}
        """
        answer: m.RecurringCampaignsGetAnswer = await self._caller.json(O["recurringCampaigns.get"], (id,), {})
        return answer

    @overload
    async def update(
        self,
        id: str,
        /,
        *,
        recurrence: m.RecurrenceInput | None | Omit = OMIT,
        template: str | None | Omit = OMIT,
        audience: m.Audience | None | Omit = OMIT,
        name: str | None | Omit = OMIT,
        subject: str | None | Omit = OMIT,
        type: m.SendType | None | Omit = OMIT,
        data: Mapping[str, m.JsonValue] | None | Omit = OMIT,
        brand: str | None | Omit = OMIT,
        rate_per_second: int | None | Omit = OMIT,
        send_window: m.SendWindowChoice | None | Omit = OMIT,
        topic: str | None | Omit = OMIT,
        variants: List[m.CampaignVariantInput] | None | Omit = OMIT,
        test: m.CampaignTestInput | None | Omit = OMIT,
        goal: m.CampaignGoalInput | None | Omit = OMIT,
        ends_after_minutes: int | None | Omit = OMIT,
        if_version: int | Omit = OMIT,
    ) -> m.RecurringCampaignsUpdateAnswer:
        """Change what recurs, or when.

        What is omitted stays, null takes out what was there; `recurrence` is given as a whole. It is checked as POST
        /recurring-campaigns checks. Campaigns that were made stay as they are. A change takes back an approval.
        `invalid_status`: it has ended.

        Scope: `campaigns:write`

        PATCH /recurring-campaigns/{id}

        recurrence: When it runs, as a whole
        template: The key of a template
        audience: Whom it is for
        name: For your own lists; no recipient sees it
        subject: Liquid; the template's own when omitted or empty
        type: The template's own when omitted
        data: Template variables; an unknown path renders empty. At most 256 KB
        brand: Whom it comes from; the project's default when omitted. Contacts of all brands get it
        rate_per_second: Emails a second at most; as fast as it goes when omitted
        send_window: Hours in which it goes, in place of the project's window; `none`: at any time. The project's when omitted
        topic: The key of the topic that a marketing email is of: it goes to those alone who have it on, and its unsubscribe
        link leaves the topic
        variants: Arms of a test, whose keys differ. Each contact has its arm for good
        test: The variants are tried on a part; all get them by their weights when omitted
        goal: Whose conversions GET /campaigns/:id/results counts; can be changed at any time
        ends_after_minutes: Nothing of a campaign is sent so many minutes after the instant that it is for; null: until all of
        it is sent
        if_version: The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is
        another by now
        """

    @overload
    async def update(
        self,
        id: str,
        body: m.RecurringCampaignChange,
        /,
        *,
        if_version: int | Omit = OMIT,
    ) -> m.RecurringCampaignsUpdateAnswer: ...

    async def update(
        self,
        id: str,
        /,
        *body: m.RecurringCampaignChange,
        **fields: Any,
    ) -> m.RecurringCampaignsUpdateAnswer:
        answer: m.RecurringCampaignsUpdateAnswer = await self._caller.json(O["recurringCampaigns.update"], (id,), fields, *body)
        return answer

    async def end(self, id: str, /, *, if_version: int | Omit = OMIT) -> m.RecurringCampaignsEndAnswer:
        """End a recurring campaign; no further campaign is made.

        For good. Campaigns that were made go on, and it can still be read. One that has ended stays as it is.

        Scope: `campaigns:write`

        DELETE /recurring-campaigns/{id}

        if_version: The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is
        another by now
        """
        answer: m.RecurringCampaignsEndAnswer = await self._caller.json(O["recurringCampaigns.end"], (id,), {"if_version": if_version})
        return answer

    async def runs(
        self,
        id: str,
        /,
        *,
        limit: int | Omit = OMIT,
        cursor: str | Omit = OMIT,
    ) -> m.RecurringCampaignsRunsAnswer:
        """List what became of the instants of a recurring campaign, the latest first.

        Those that were made, could not be made, were missed or are skipped; what came while it was paused is none of them.

        Scope: `campaigns:read`, or a key that has no reading scope

        GET /recurring-campaigns/{id}/runs

        limit: 50 when omitted
        cursor: From the answer before; the filters stay as they are
        """
        answer: m.RecurringCampaignsRunsAnswer = await self._caller.json(O["recurringCampaigns.runs"], (id,), {"limit": limit, "cursor": cursor})
        return answer

    def iterate_runs(self, id: str, /, *, limit: int | Omit = OMIT) -> AsyncIterator[m.Run]:
        """List what became of the instants of a recurring campaign, the latest first: each of them, over all pages. Pages are
        asked for as they are needed.
        """
        return self._caller.pages(O["recurringCampaigns.runs"], (id,), {"limit": limit}, ('runs',), "cursor")

    async def pause(self, id: str, /) -> m.RecurringCampaignsPauseAnswer:
        """Pause a recurring campaign.

        No campaign is made until it is resumed; those that were made go on. `invalid_status`: it is paused already, or has
        ended.

        Scope: `campaigns:write`

        POST /recurring-campaigns/{id}/pause
        """
        answer: m.RecurringCampaignsPauseAnswer = await self._caller.json(O["recurringCampaigns.pause"], (id,), {})
        return answer

    async def resume(self, id: str, /) -> m.RecurringCampaignsResumeAnswer:
        """Let a paused recurring campaign go on.

        With the next instant that comes: what came while it was paused is not made up for. It ends where its rule has none.
        `invalid_status`: it is not paused.

        Scope: `campaigns:write`

        POST /recurring-campaigns/{id}/resume
        """
        answer: m.RecurringCampaignsResumeAnswer = await self._caller.json(O["recurringCampaigns.resume"], (id,), {})
        return answer

    async def skip_next(
        self,
        id: str,
        /,
        *,
        if_version: int | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
    ) -> m.RecurringCampaignsSkipNextAnswer:
        """Leave out the next run.

        The first of `next_runs` that has not come; each call skips one more, and is the next `version`, so name what was looked
        at in `ifVersion`. An approval stays. `invalid_status`: it is paused, or has ended.

        Scope: `campaigns:write`

        POST /recurring-campaigns/{id}/skip-next

        if_version: The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is
        another by now
        idempotency_key: One of yours, like `invoice-2207-paid`; made for each call when omitted
        """
        answer: m.RecurringCampaignsSkipNextAnswer = await self._caller.json(O["recurringCampaigns.skipNext"], (id,), {"if_version": if_version, "idempotency_key": idempotency_key})
        return answer

    async def approve(self, id: str, /, *, if_version: int | Omit = OMIT) -> m.RecurringCampaignsApproveAnswer:
        """Approve a recurring campaign as it is.

        All of its campaigns, until it is changed: name what was looked at in `ifVersion`. `forbidden`: the key, or the key of
        the session, wrote the last change; another one approves it. Projects ask for it by `project set --campaign-approval
        on`.

        Scope: `campaigns:write`

        POST /recurring-campaigns/{id}/approve

        if_version: The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is
        another by now
        """
        answer: m.RecurringCampaignsApproveAnswer = await self._caller.json(O["recurringCampaigns.approve"], (id,), {"if_version": if_version})
        return answer

    @overload
    async def preview(
        self,
        *,
        recurrence: m.RecurrenceInput,
        recurring_id: str | None | Omit = OMIT,
    ) -> m.RecurringCampaignsPreviewAnswer:
        """Preview a rule: its words and its next runs.

        Nothing is written. A rule by which nothing runs has no `next_runs`; POST /recurring-campaigns refuses it.

        Scope: `campaigns:read`, or a key that has no reading scope

        POST /recurring-campaigns/preview

        recurring_id: Of the recurring campaign that is to be changed: `interval` counts from when that was made
        """

    @overload
    async def preview(self, body: m.RecurrencePreviewInput, /) -> m.RecurringCampaignsPreviewAnswer: ...

    async def preview(self, *body: m.RecurrencePreviewInput, **fields: Any) -> m.RecurringCampaignsPreviewAnswer:
        answer: m.RecurringCampaignsPreviewAnswer = await self._caller.json(O["recurringCampaigns.preview"], (), fields, *body)
        return answer


class AsyncSavedBlocks:
    """`everpost.saved_blocks`: Blocks that a project keeps under a name, to begin others with"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    @overload
    async def create(self, *, name: str, block: m.TemplateBlock) -> m.SavedBlocksCreateAnswer:
        """Save a block under a name.

        For templates to begin a block with: what is put into one is a copy, and neither knows of later changes of the other. At
        most 16 KB; a project has at most 100 (`too_many_saved_blocks`), each with a name of its own (`duplicate_label`).

        Scope: `templates:write`

        POST /saved-blocks

        name: For people; no two of a project are the same in another case
        """

    @overload
    async def create(self, body: m.NewSavedBlockInput, /) -> m.SavedBlocksCreateAnswer: ...

    async def create(self, *body: m.NewSavedBlockInput, **fields: Any) -> m.SavedBlocksCreateAnswer:
        answer: m.SavedBlocksCreateAnswer = await self._caller.json(O["savedBlocks.create"], (), fields, *body)
        return answer

    async def list(self) -> m.SavedBlocksListAnswer:
        """List the saved blocks.

        Scope: `templates:read`, or a key that has no reading scope

        GET /saved-blocks
        """
        answer: m.SavedBlocksListAnswer = await self._caller.json(O["savedBlocks.list"], (), {})
        return answer

    @overload
    async def update(self, id: str, /, *, name: str) -> m.SavedBlocksUpdateAnswer:
        """Rename a saved block.

        What it holds stays: another block is saved anew.

        Scope: `templates:write`

        PATCH /saved-blocks/{id}

        name: For people; no two of a project are the same in another case
        """

    @overload
    async def update(self, id: str, body: m.SavedBlockInput, /) -> m.SavedBlocksUpdateAnswer: ...

    async def update(self, id: str, /, *body: m.SavedBlockInput, **fields: Any) -> m.SavedBlocksUpdateAnswer:
        answer: m.SavedBlocksUpdateAnswer = await self._caller.json(O["savedBlocks.update"], (id,), fields, *body)
        return answer

    async def delete(self, id: str, /) -> m.SavedBlocksDeleteAnswer:
        """Delete a saved block.

        Templates that began a block with it keep theirs.

        Scope: `templates:write`

        DELETE /saved-blocks/{id}
        """
        answer: m.SavedBlocksDeleteAnswer = await self._caller.json(O["savedBlocks.delete"], (id,), {})
        return answer


class AsyncSegments:
    """`everpost.segments`: Saved audiences"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(self, *, counts: Literal['all', 'kept'] | Omit = OMIT) -> m.SegmentsListAnswer:
        """List segments, each counted now.

        How many contacts there are of each status and with each tag is kept, so segments of everybody, of statuses and of one
        tag are counted at once. Others (several tags, a source, `where`, a brand) take up to a second for each million
        contacts; `counts=kept` lists those apart, uncounted.

        Scope: `segments:read`, or a key that has no reading scope

        GET /segments

        counts: kept: segments that would take time are not counted
        """
        answer: m.SegmentsListAnswer = await self._caller.json(O["segments.list"], (), {"counts": counts})
        return answer

    @overload
    async def create(
        self,
        *,
        label: str,
        filter: m.SegmentFilter | None | Omit = OMIT,
        brand: str | None | Omit = OMIT,
    ) -> m.SegmentsCreateAnswer:
        """Save an audience filter.

        The filter is evaluated whenever it is used, so membership is always current. Labels are unique without regard to case.

        Scope: `contacts:write`

        POST /segments

        label: Names it; spaces around it do not count
        filter: {} when omitted: all contacts
        brand: Only contacts of this brand
        """

    @overload
    async def create(self, body: m.SegmentInput, /) -> m.SegmentsCreateAnswer: ...

    async def create(self, *body: m.SegmentInput, **fields: Any) -> m.SegmentsCreateAnswer:
        answer: m.SegmentsCreateAnswer = await self._caller.json(O["segments.create"], (), fields, *body)
        return answer

    async def get(self, id: str, /) -> m.SegmentsGetAnswer:
        """Read one segment, counted now.

        Scope: `segments:read`, or a key that has no reading scope

        GET /segments/{id}
        """
        answer: m.SegmentsGetAnswer = await self._caller.json(O["segments.get"], (id,), {})
        return answer

    @overload
    async def update(
        self,
        id: str,
        /,
        *,
        label: str | None | Omit = OMIT,
        filter: m.SegmentFilter | None | Omit = OMIT,
        if_version: int | Omit = OMIT,
    ) -> m.SegmentsUpdateAnswer:
        """Rename a segment or replace its filter.

        Each change is the next `version`. With `ifVersion` nothing is changed when somebody else has changed it since.

        Scope: `contacts:write`

        PATCH /segments/{id}

        label: Names it; spaces around it do not count
        filter: In place of the one before
        if_version: The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is
        another by now
        """

    @overload
    async def update(
        self,
        id: str,
        body: m.SegmentChange,
        /,
        *,
        if_version: int | Omit = OMIT,
    ) -> m.SegmentsUpdateAnswer: ...

    async def update(self, id: str, /, *body: m.SegmentChange, **fields: Any) -> m.SegmentsUpdateAnswer:
        answer: m.SegmentsUpdateAnswer = await self._caller.json(O["segments.update"], (id,), fields, *body)
        return answer

    async def delete(self, id: str, /) -> m.SegmentsDeleteAnswer:
        """Delete a segment; its contacts are untouched.

        Refused with `segment_in_use` while a sequence that is not archived has it as its trigger; `sequences` says which.

        Scope: `contacts:write`

        DELETE /segments/{id}
        """
        answer: m.SegmentsDeleteAnswer = await self._caller.json(O["segments.delete"], (id,), {})
        return answer

    async def contacts(
        self,
        id: str,
        /,
        *,
        status: m.ContactStatus | Omit = OMIT,
        tag: str | Omit = OMIT,
        q: str | Omit = OMIT,
        limit: int | Omit = OMIT,
        cursor: str | Omit = OMIT,
    ) -> m.SegmentsContactsAnswer:
        """List the contacts that are in a segment now, newest first.

        Scope: `contacts:read`

        GET /segments/{id}/contacts

        status: `pending`: not asked yet. `unsubscribed` and `bounced` contacts get no marketing email
        tag: One that they carry
        q: Part of the email or of a name, without regard to case
        limit: 50 when omitted
        cursor: From the answer before; the filters stay as they are
        """
        answer: m.SegmentsContactsAnswer = await self._caller.json(O["segments.contacts"], (id,), {"status": status, "tag": tag, "q": q, "limit": limit, "cursor": cursor})
        return answer

    def iterate_contacts(
        self,
        id: str,
        /,
        *,
        status: m.ContactStatus | Omit = OMIT,
        tag: str | Omit = OMIT,
        q: str | Omit = OMIT,
        limit: int | Omit = OMIT,
    ) -> AsyncIterator[m.ListedContact]:
        """List the contacts that are in a segment now, newest first: each of them, over all pages. Pages are asked for as they are
        needed.
        """
        return self._caller.pages(O["segments.contacts"], (id,), {"status": status, "tag": tag, "q": q, "limit": limit}, ('contacts',), "cursor")

    @overload
    async def preview(
        self,
        *,
        filter: m.SegmentFilter | None | Omit = OMIT,
        brand: str | None | Omit = OMIT,
        topic: str | None | Omit = OMIT,
        mailable: bool | None | Omit = OMIT,
    ) -> m.SegmentsPreviewAnswer:
        """Count what a filter matches now, with a sample.

        Nothing is saved. `sample` has the newest 10 contacts that match.

        Scope: `contacts:read`

        POST /segments/preview

        filter: {} when omitted: all contacts
        brand: Only contacts of this brand
        topic: Of `mailable` only those who have this topic on
        mailable: true: those who would get a campaign are counted, too, which takes longer
        """

    @overload
    async def preview(self, body: m.SegmentPreview, /) -> m.SegmentsPreviewAnswer: ...

    async def preview(self, *body: m.SegmentPreview, **fields: Any) -> m.SegmentsPreviewAnswer:
        answer: m.SegmentsPreviewAnswer = await self._caller.json(O["segments.preview"], (), fields, *body)
        return answer

    async def export(
        self,
        id: str,
        /,
        *,
        status: m.ContactStatus | Omit = OMIT,
        tag: str | Omit = OMIT,
        q: str | Omit = OMIT,
        attributes: str | Omit = OMIT,
    ) -> AsyncDownload:
        """Export the contacts that are in a segment now, as CSV, newest first.

        CSV by RFC 4180 in UTF-8, as a stream: the first row has the names of the columns. A cell that begins with `=`, `+`,
        `-`, `@`, a tab or a carriage return has an apostrophe before it, so that no spreadsheet takes it for a formula; an
        import takes it away again. The columns have names that an import knows, but for those marked *: `id`*, `email`,
        `first_name`, `last_name`, `display_name`, `status`, `suppressed` (the reason), `brand`*, `source`, `tags` between
        commas, `timezone`, `locale`, `consent.source`, `consent.ip`, `consent.user_agent`, `consent.at`, `created_at`*,
        `updated_at`*, `attributes`* as JSON, `topics.<key>` of each topic of the project, and `attributes.<name>` of those that
        `attributes` names. The filters are those of GET /segments/:id/contacts.

        Scope: `contacts:read`

        GET /segments/{id}/export

        status: `pending`: not asked yet. `unsubscribed` and `bounced` contacts get no marketing email
        tag: One that they carry
        q: Part of the email or of a name, without regard to case
        attributes: Names of attributes, between commas, that are columns of their own beside `attributes`, which has all of
        them as JSON
        """
        answer: AsyncDownload = await self._caller.download(O["segments.export"], (id,), {"status": status, "tag": tag, "q": q, "attributes": attributes})
        return answer

    async def uses(self, id: str, /) -> m.SegmentsUsesAnswer:
        """List what uses a segment.

        Sequences that are not archived and have it as a trigger or ask for it in a condition, by name, campaigns to it that
        have not begun, and recurring ones that have not ended, the newest first: up to 20 of each. A key that may not read
        sequences or campaigns gets none of them, and null for their number.

        Scope: `segments:read`, or a key that has no reading scope

        GET /segments/{id}/uses
        """
        answer: m.SegmentsUsesAnswer = await self._caller.json(O["segments.uses"], (id,), {})
        return answer


class AsyncSends:
    """`everpost.sends`: The log of every attempt to send"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    @overload
    async def check(
        self,
        *,
        recipients: List[m.SendCheckRecipient],
        template: str | None | Omit = OMIT,
        type: m.SendType | None | Omit = OMIT,
        topic: str | None | Omit = OMIT,
    ) -> m.SendsCheckAnswer:
        """Tell who would get an email, and who not and why.

        Sends and writes nothing. As POST /send would decide at this moment about each recipient: suppressed for every email,
        the rest for marketing. Each is asked again when its email goes.

        Scope: `send`

        POST /sends/check

        recipients: Whom the emails would be to
        template: Whose type the email has; required without `type`
        type: The template's own when omitted
        topic: The key of the topic that a marketing email is of: it goes to those alone who have it on, and its unsubscribe
        link leaves the topic
        """

    @overload
    async def check(self, body: m.SendCheckInput, /) -> m.SendsCheckAnswer: ...

    async def check(self, *body: m.SendCheckInput, **fields: Any) -> m.SendsCheckAnswer:
        answer: m.SendsCheckAnswer = await self._caller.json(O["sends.check"], (), fields, *body)
        return answer

    async def export(
        self,
        *,
        template: str | Omit = OMIT,
        type: m.SendType | Omit = OMIT,
        status: m.SendStatus | Omit = OMIT,
        contact_id: str | Omit = OMIT,
        source_type: str | Omit = OMIT,
        source_id: str | Omit = OMIT,
        variant: str | Omit = OMIT,
        delivery_status: Literal['queued', 'delivered', 'bounced', 'complained', 'none'] | Omit = OMIT,
        sandboxed: bool | Omit = OMIT,
        from_: m.Timestamp | datetime | Omit = OMIT,
        to: m.Timestamp | datetime | Omit = OMIT,
        tag: str | Omit = OMIT,
        metadata: str | Omit = OMIT,
        q: str | Omit = OMIT,
    ) -> AsyncDownload:
        """Export send attempts as CSV, newest first.

        CSV by RFC 4180 in UTF-8, as a stream: the first row has the names of the columns. A cell that begins with `=`, `+`,
        `-`, `@`, a tab or a carriage return has an apostrophe before it, so that no spreadsheet takes it for a formula; an
        import takes it away again. The columns are the fields of GET /sends, in their order, lists and objects as JSON; the
        filters are its own.

        Scope: `sends:read`

        GET /sends/export

        template: The key of a template; empty: the call brought the content itself
        type: `marketing` email goes to subscribed contacts only and has an unsubscribe link; `transactional` email does without
        status: scheduled: those that wait, which are in no other list
        contact_id: A contact's id
        source_type: api, campaign, sequence, test or confirmation
        source_id: The id of a campaign or sequence
        variant: The arm of a campaign with a test: its key, beside the `sourceId` of the campaign
        delivery_status: The furthest that the provider reported; none: it was sent, and nothing was reported
        sandboxed: true: those that never left; false: the others
        from_: Made then or later
        to: Made before
        tag: One of its tags, exactly
        metadata: One of its metadata, as `name:value`, exactly
        q: Part of the recipient's address, or the whole `id` that POST /send answered
        """
        answer: AsyncDownload = await self._caller.download(O["sends.export"], (), {"template": template, "type": type, "status": status, "contact_id": contact_id, "source_type": source_type, "source_id": source_id, "variant": variant, "delivery_status": delivery_status, "sandboxed": sandboxed, "from_": from_, "to": to, "tag": tag, "metadata": metadata, "q": q})
        return answer

    async def list(
        self,
        *,
        template: str | Omit = OMIT,
        type: m.SendType | Omit = OMIT,
        status: m.SendStatus | Omit = OMIT,
        contact_id: str | Omit = OMIT,
        source_type: str | Omit = OMIT,
        source_id: str | Omit = OMIT,
        variant: str | Omit = OMIT,
        delivery_status: Literal['queued', 'delivered', 'bounced', 'complained', 'none'] | Omit = OMIT,
        sandboxed: bool | Omit = OMIT,
        from_: m.Timestamp | datetime | Omit = OMIT,
        to: m.Timestamp | datetime | Omit = OMIT,
        tag: str | Omit = OMIT,
        metadata: str | Omit = OMIT,
        q: str | Omit = OMIT,
        limit: int | Omit = OMIT,
        cursor: str | Omit = OMIT,
    ) -> m.SendsListAnswer:
        """List send attempts, newest first.

        Scope: `sends:read`

        GET /sends

        template: The key of a template; empty: the call brought the content itself
        type: `marketing` email goes to subscribed contacts only and has an unsubscribe link; `transactional` email does without
        status: scheduled: those that wait, which are in no other list
        contact_id: A contact's id
        source_type: api, campaign, sequence, test or confirmation
        source_id: The id of a campaign or sequence
        variant: The arm of a campaign with a test: its key, beside the `sourceId` of the campaign
        delivery_status: The furthest that the provider reported; none: it was sent, and nothing was reported
        sandboxed: true: those that never left; false: the others
        from_: Made then or later
        to: Made before
        tag: One of its tags, exactly
        metadata: One of its metadata, as `name:value`, exactly
        q: Part of the recipient's address, or the whole `id` that POST /send answered
        limit: 50 when omitted
        cursor: From the answer before; the filters stay as they are
        """
        answer: m.SendsListAnswer = await self._caller.json(O["sends.list"], (), {"template": template, "type": type, "status": status, "contact_id": contact_id, "source_type": source_type, "source_id": source_id, "variant": variant, "delivery_status": delivery_status, "sandboxed": sandboxed, "from_": from_, "to": to, "tag": tag, "metadata": metadata, "q": q, "limit": limit, "cursor": cursor})
        return answer

    def iterate(
        self,
        *,
        template: str | Omit = OMIT,
        type: m.SendType | Omit = OMIT,
        status: m.SendStatus | Omit = OMIT,
        contact_id: str | Omit = OMIT,
        source_type: str | Omit = OMIT,
        source_id: str | Omit = OMIT,
        variant: str | Omit = OMIT,
        delivery_status: Literal['queued', 'delivered', 'bounced', 'complained', 'none'] | Omit = OMIT,
        sandboxed: bool | Omit = OMIT,
        from_: m.Timestamp | datetime | Omit = OMIT,
        to: m.Timestamp | datetime | Omit = OMIT,
        tag: str | Omit = OMIT,
        metadata: str | Omit = OMIT,
        q: str | Omit = OMIT,
        limit: int | Omit = OMIT,
    ) -> AsyncIterator[m.SendLogEntry]:
        """List send attempts, newest first: each of them, over all pages. Pages are asked for as they are needed."""
        return self._caller.pages(O["sends.list"], (), {"template": template, "type": type, "status": status, "contact_id": contact_id, "source_type": source_type, "source_id": source_id, "variant": variant, "delivery_status": delivery_status, "sandboxed": sandboxed, "from_": from_, "to": to, "tag": tag, "metadata": metadata, "q": q, "limit": limit}, ('sends',), "cursor")

    async def get(self, id: str, /) -> m.SendsGetAnswer:
        """Read one send attempt with what the provider reported.

        Takes the row's own id or the `id` that POST /send answered (the provider's); of several rows with one provider id the
        latest. An email in flight is 404 until it has its outcome; a scheduled one is there until it goes.

        Scope: `sends:read`

        GET /sends/{id}
        """
        answer: m.SendsGetAnswer = await self._caller.json(O["sends.get"], (id,), {})
        return answer

    @overload
    async def reschedule(self, id: str, /, *, send_at: m.Timestamp | datetime) -> m.SendsRescheduleAnswer:
        """Send a scheduled email at another time.

        An instant in the past is now. `invalid_status`: it is being sent, or was.

        Scope: `send`

        PATCH /sends/{id}

        send_at: At most 90 days ahead
        """

    @overload
    async def reschedule(self, id: str, body: m.ScheduledSendInput, /) -> m.SendsRescheduleAnswer: ...

    async def reschedule(self, id: str, /, *body: m.ScheduledSendInput, **fields: Any) -> m.SendsRescheduleAnswer:
        answer: m.SendsRescheduleAnswer = await self._caller.json(O["sends.reschedule"], (id,), fields, *body)
        return answer

    async def cancel(self, id: str, /) -> m.SendsCancelAnswer:
        """Cancel a scheduled email.

        It does not go after this answer, and has no row. `invalid_status`: it is being sent, or was.

        Scope: `send`

        DELETE /sends/{id}
        """
        answer: m.SendsCancelAnswer = await self._caller.json(O["sends.cancel"], (id,), {})
        return answer

    async def mail(self, id: str, /) -> m.SendsMailAnswer:
        """Render an email again, as near to what was sent as is known.

        Emails are not kept. One whose call brought its content is `not_found`. One of a campaign is made with the data of the
        campaign and the version that was published when it began; any other with no data and what is published now. It is for
        its contact when the key has contacts:read, and its unsubscribe link leads nowhere.

        Scope: `sends:read`

        GET /sends/{id}/mail
        """
        answer: m.SendsMailAnswer = await self._caller.json(O["sends.mail"], (id,), {})
        return answer

    async def attachment(self, id: str, number: str | int, /) -> AsyncDownload:
        """Download an attachment of an email.

        As a download, never shown. 404 when its bytes are not kept any more, or the recipient was erased.

        Scope: `sends:read`

        GET /sends/{id}/attachments/{number}
        """
        answer: AsyncDownload = await self._caller.download(O["sends.attachment"], (id, number), {})
        return answer

    @overload
    async def retry(self, id: str, /, *, data: Mapping[str, m.JsonValue] | None | Omit = OMIT) -> m.SendsRetryAnswer:
        """Send a failed email again.

        Once for each failed row, whoever else asks for it at the same time. An email with `outcome_unknown` may have arrived:
        who got it gets it twice. The failed row stays as it is and names what follows it in `retried_as`. An email of POST
        /send or a test is made with the template, recipient, type, brand, copies, headers and tags of its row, the template's
        own subject and sender, and with `data`, which is not kept; one of a sequence as its step made it, while the run stays
        where it is. Both are answered as POST /send is. One of a campaign is sent by its campaign, as POST /campaigns/:id/retry
        does for all, and needs the scope `campaigns:write` as well: the answer has `id` null and `queued` true.
        `invalid_status`: it has not failed, was sent again before, also by its caller under its key, or what it was made of is
        gone.

        Scope: `send`

        POST /sends/{id}/retry

        data: Of an email of POST /send or a test: what it shows, given again
        """

    @overload
    async def retry(self, id: str, body: m.SendRetryInput, /) -> m.SendsRetryAnswer: ...

    async def retry(self, id: str, /, *body: m.SendRetryInput, **fields: Any) -> m.SendsRetryAnswer:
        answer: m.SendsRetryAnswer = await self._caller.json(O["sends.retry"], (id,), fields, *body)
        return answer


class AsyncSequenceStarters:
    """`everpost.sequence_starters`"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(self) -> m.SequenceStartersListAnswer:
        """List the ready sequences that can be taken over.

        They ship with the installation and are the same for all projects.

        Scope: `sequences:read`

        GET /sequence-starters
        """
        answer: m.SequenceStartersListAnswer = await self._caller.json(O["sequenceStarters.list"], (), {})
        return answer

    async def get(self, key: str, /) -> m.SequenceStartersGetAnswer:
        """Read a ready sequence, and how one contact goes through it.

        To take it over, POST each of `templates` to /templates and PUT `graph` to /sequences/:key under a key of your own: that
        makes a draft, which enrolls nobody. `templates` are those of its mails that neither the installation nor the project
        has by their key; the project keeps what it has. They are off until PUT /templates/:key enables them, as every template
        is.

        Scope: `sequences:read`

        GET /sequence-starters/{key}
        """
        answer: m.SequenceStartersGetAnswer = await self._caller.json(O["sequenceStarters.get"], (key,), {})
        return answer


class AsyncSequences:
    """`everpost.sequences`: Flows of emails, waits and branches that contacts go through"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    @overload
    async def create(
        self,
        *,
        key: m.SequenceKey,
        name: str,
        steps: List[m.SequenceStep],
        status: m.SequenceStatus | None | Omit = OMIT,
        trigger: str | m.EnteredSegment | m.EnteredDate | None | Omit = OMIT,
        brand: str | None | Omit = OMIT,
        frequency_cap: m.FrequencyCap | None | Omit = OMIT,
        send_window: m.SendWindowChoice | None | Omit = OMIT,
    ) -> m.SequencesCreateAnswer:
        """Create a linear sequence from steps.

        A sequence that is active from the start answers with `warnings` for emails that would fail as things stand: `[{ "path":
        "steps[0].template", "message": "the template welcome is not enabled …" }]`.

        Scope: `sequences:write`

        POST /sequences

        name: For your own lists; no recipient sees it
        steps: In their order
        status: draft when omitted
        trigger: The event type that enrolls, the segment of which becoming a member does, or the date of each contact on which
        it enters
        brand: Of all its emails: a brand's slug, each contact's when omitted
        frequency_cap: None when omitted
        send_window: Hours in which its marketing emails go, in place of the project's window; `none`: at any time. The
        project's when omitted
        """

    @overload
    async def create(self, body: m.SequenceInput, /) -> m.SequencesCreateAnswer: ...

    async def create(self, *body: m.SequenceInput, **fields: Any) -> m.SequencesCreateAnswer:
        answer: m.SequencesCreateAnswer = await self._caller.json(O["sequences.create"], (), fields, *body)
        return answer

    async def list(self) -> m.SequencesListAnswer:
        """List the sequences, newest first.

        Scope: `sequences:read`

        GET /sequences
        """
        answer: m.SequencesListAnswer = await self._caller.json(O["sequences.list"], (), {})
        return answer

    async def get(self, key: str, /, *, version: int | Omit = OMIT) -> m.SequencesGetAnswer:
        """Read a sequence's flow graph.

        Of an earlier `version` the graph only: name and status are those of now. PUT with it makes it the latest again.

        Scope: `sequences:read`

        GET /sequences/{key}

        version: The current one when omitted
        """
        answer: m.SequencesGetAnswer = await self._caller.json(O["sequences.get"], (key,), {"version": version})
        return answer

    @overload
    async def replace(
        self,
        key: str,
        /,
        *,
        nodes: List[m.SequenceNode],
        edges: List[m.SequenceEdge],
        name: str | None | Omit = OMIT,
        status: m.SequenceStatus | None | Omit = OMIT,
        reentry: m.ReentryPolicy | None | Omit = OMIT,
        cooldown_hours: float | None | Omit = OMIT,
        goal: m.SequenceGoal | None | Omit = OMIT,
        frequency_cap: m.FrequencyCap | None | Omit = OMIT,
        send_window: m.SendWindowChoice | None | Omit = OMIT,
        triggers: List[m.SequenceTrigger] | None | Omit = OMIT,
        migrate: Mapping[str, str | None] | None | Omit = OMIT,
        version: int | None | Omit = OMIT,
        if_version: int | Omit = OMIT,
        dry_run: bool | Omit = OMIT,
    ) -> m.SequencesReplaceAnswer:
        """Replace the whole flow graph with a new version, or create the sequence.

        Takes what GET answers, also that of another project; `key` and `version` are ignored, `name` and `status` omitted keep
        what is there. A key that is new makes a sequence, `draft` and named after its key unless the body says otherwise, whose
        version is 1. Everything wrong is listed in `error` and `issues: [{ nodeId?, message }]`, and nothing is applied.
        Running enrollments keep their version, but those that `migrate` moves or ends; `changes` says how many people stand at
        steps that this removes or changes. With `dryRun=1` nothing is written, and the answer says what it would be. Variables
        that no node sees are told in `warnings`, with the right spelling: `[{ "path": "nodes[2].config.body.name", "message":
        "call: contact.firstName is no variable; did you mean contact.first_name?" }]`, and so are loops whose waits add up to
        less than a minute, and dates of every year with `once_ever`. While the sequence is active they also name emails that
        would fail as things stand, which differs between projects: `[{ "path": "nodes[1].config.data.resetUrl", "message":
        "send_1: password-reset requires resetUrl …" }]`.

        Scope: `sequences:write`

        PUT /sequences/{key}

        name: For your own lists; no recipient sees it
        status: As it was when omitted; draft of a new one
        reentry: once_active when omitted
        cooldown_hours: Hours since the last start before a contact may enter again; fractions are allowed
        goal: None when omitted
        frequency_cap: None when omitted
        send_window: Hours in which its marketing emails go, in place of the project's window; `none`: at any time. The
        project's when omitted
        triggers: Each enrolls by itself; none: only POST enroll does
        nodes: In any order; exactly one is a trigger. None at all unless the sequence is active
        edges: What leads from node to node
        migrate: What becomes of those who stand at a node, of whatever version: the node of this graph at which they go on, or
        null where their run ends. At nodes that it does not name they stay on their version
        version: Ignored: each PUT makes the next one
        if_version: The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is
        another by now
        dry_run: `1`: nothing is done, and the answer says what would be
        """

    @overload
    async def replace(
        self,
        key: str,
        body: m.FlowGraphInput,
        /,
        *,
        if_version: int | Omit = OMIT,
        dry_run: bool | Omit = OMIT,
    ) -> m.SequencesReplaceAnswer: ...

    async def replace(self, key: str, /, *body: m.FlowGraphInput, **fields: Any) -> m.SequencesReplaceAnswer:
        answer: m.SequencesReplaceAnswer = await self._caller.json(O["sequences.replace"], (key,), fields, *body)
        return answer

    @overload
    async def update(
        self,
        key: str,
        /,
        *,
        name: str | None | Omit = OMIT,
        status: m.SequenceStatus | None | Omit = OMIT,
    ) -> m.SequencesUpdateAnswer:
        """Rename, pause, resume or archive a sequence.

        The graph and its version stay. `paused` and `draft` hold the running enrollments before their next send, `active` lets
        them go on, `archived` ends them. An archived sequence can only become a draft. Answers with the `warnings` of PUT.

        Scope: `sequences:write`

        PATCH /sequences/{key}

        name: For your own lists; no recipient sees it
        status: Of an archived one only draft
        """

    @overload
    async def update(self, key: str, body: m.SequenceChange, /) -> m.SequencesUpdateAnswer: ...

    async def update(self, key: str, /, *body: m.SequenceChange, **fields: Any) -> m.SequencesUpdateAnswer:
        answer: m.SequencesUpdateAnswer = await self._caller.json(O["sequences.update"], (key,), fields, *body)
        return answer

    async def delete(self, key: str, /) -> m.SequencesDeleteAnswer:
        """Delete a sequence and its enrollments; nothing more is sent.

        Scope: `sequences:write`

        DELETE /sequences/{key}
        """
        answer: m.SequencesDeleteAnswer = await self._caller.json(O["sequences.delete"], (key,), {})
        return answer

    async def date_entries(self, key: str, /) -> m.SequencesDateEntriesAnswer:
        """Count who is about to enter a sequence by a date.

        By each date trigger that is on, as far as it is planned: the dates of all contacts are looked at every ten minutes or
        so, for the next 2 hours. Who enters is decided at the time, by what the contact is then. Of a sequence that is not
        active nothing is planned.

        Scope: `sequences:read`

        GET /sequences/{key}/date-entries
        """
        answer: m.SequencesDateEntriesAnswer = await self._caller.json(O["sequences.dateEntries"], (key,), {})
        return answer

    async def versions(
        self,
        key: str,
        /,
        *,
        limit: int | Omit = OMIT,
        before: int | Omit = OMIT,
        in_use: bool | Omit = OMIT,
    ) -> m.SequencesVersionsAnswer:
        """List the versions of a sequence, latest first.

        All are kept: runs go on by the version that they started with. Who made one is not recorded.

        Scope: `sequences:read`

        GET /sequences/{key}/versions

        limit: 50 when omitted
        before: Only versions before this one: the next page
        in_use: `true`: only the current one and those by which runs are under way
        """
        answer: m.SequencesVersionsAnswer = await self._caller.json(O["sequences.versions"], (key,), {"limit": limit, "before": before, "in_use": in_use})
        return answer

    def iterate_versions(
        self,
        key: str,
        /,
        *,
        limit: int | Omit = OMIT,
        in_use: bool | Omit = OMIT,
    ) -> AsyncIterator[m.SequenceVersion]:
        """List the versions of a sequence, latest first: each of them, over all pages. Pages are asked for as they are needed."""
        return self._caller.pages(O["sequences.versions"], (key,), {"limit": limit, "in_use": in_use}, ('versions',), "before")

    async def flow(self, key: str, /, *, version: int | Omit = OMIT) -> m.SequencesFlowAnswer:
        """Count which way the runs of a sequence took.

        Of the 10,000 runs that started last, over the current graph: a way counts for an edge if it led from the one node to
        the other, also in an earlier version. What runs did at nodes that only an earlier version had is left out. With
        `version` it is the graph of that version and the runs that started with it. Traces of runs that ended more than a year
        ago are dropped, so those count nowhere.

        Scope: `sequences:read`

        GET /sequences/{key}/flow

        version: Runs of this version alone, over its graph; all when omitted
        """
        answer: m.SequencesFlowAnswer = await self._caller.json(O["sequences.flow"], (key,), {"version": version})
        return answer

    @overload
    async def simulate(
        self,
        key: str,
        /,
        *,
        contact_id: str,
        contact: m.Contact3 | None | Omit = OMIT,
        **fields: Unpack[a.SequencesSimulateFields],
    ) -> m.SequencesSimulateAnswer:
        """Dry run of one contact: sends nothing, writes nothing.

        The same interpreter and conditions as a real run, whatever the status of the sequence. Waits pass at once, and the
        event comes at the first of them: it may meet the goal or end the wait. Who could not be enrolled has no path: `{
        "path": [], "sends": [], "endedBy": "refused", "refusal": { "reason": "already_enrolled", "message": "…" } }`;
        `asIfNotEnrolled` passes over earlier runs, and `graph` tries changes before they are saved, also of a sequence that is
        not there yet. An email that would be skipped or fail says so in its `detail`, like `would be skipped: frequency_cap`,
        and is not in `sends`; what is not set up yet stands in `warnings`: `[{ "path": "nodes[1].config.template", "message":
        "send_1: the template welcome is not enabled …" }]`.

        Scope: `sequences:write`

        POST /sequences/{key}/simulate

        contact_id: A contact of the project; either this or contact is required
        contact: A contact that exists only in this request; it counts as id `simulated`
        event: The event that enrolls, and comes again at the first wait; with `events` it comes once
        events: What comes while the run is under way, each at its instant: a digest gathers it, a wait or the goal may end by
        it, or it begins a run of its own. Without `event` the first that triggers the sequence enrolls
        assume: Outcomes to take, by node id: a branch key, or sent, skipped, failed of an email, called, failed of a call.
        Those that a node does not have are refused. At most 64 KB
        graph: A graph to go through instead of the saved one, as PUT /sequences/:key takes it. At most 256 KB
        as_if_not_enrolled: true: as if the contact had never entered the sequence; who unsubscribed is refused all the same.
        false when omitted
        """

    @overload
    async def simulate(
        self,
        key: str,
        /,
        *,
        contact: m.Contact3,
        contact_id: str | None | Omit = OMIT,
        **fields: Unpack[a.SequencesSimulateFields],
    ) -> m.SequencesSimulateAnswer: ...

    @overload
    async def simulate(self, key: str, body: m.SimulateInput, /) -> m.SequencesSimulateAnswer: ...

    async def simulate(self, key: str, /, *body: m.SimulateInput, **fields: Any) -> m.SequencesSimulateAnswer:
        answer: m.SequencesSimulateAnswer = await self._caller.json(O["sequences.simulate"], (key,), fields, *body)
        return answer

    @overload
    async def enroll_segment(
        self,
        key: str,
        /,
        *,
        segment_id: str,
        idempotency_key: str | Omit = OMIT,
    ) -> m.SequencesEnrollSegmentAnswer:
        """Enroll all members of a segment.

        It is answered at once and goes on by itself, whatever process dies: each member by the rules of a single enrollment, in
        the order in which they became contacts, by the filter that the segment has now. While the sequence is paused it waits;
        archiving the sequence cancels it. One at a time for each sequence, else `invalid_status`; a sequence that is a draft or
        archived is `enroll_failed`.

        Scope: `sequences:write`

        POST /sequences/{key}/bulk-enrollments

        segment_id: The segment's id
        idempotency_key: One of yours, like `invoice-2207-paid`; made for each call when omitted
        """

    @overload
    async def enroll_segment(
        self,
        key: str,
        body: m.BulkEnrollmentInput,
        /,
        *,
        idempotency_key: str | Omit = OMIT,
    ) -> m.SequencesEnrollSegmentAnswer: ...

    async def enroll_segment(
        self,
        key: str,
        /,
        *body: m.BulkEnrollmentInput,
        **fields: Any,
    ) -> m.SequencesEnrollSegmentAnswer:
        answer: m.SequencesEnrollSegmentAnswer = await self._caller.json(O["sequences.enrollSegment"], (key,), fields, *body)
        return answer

    async def bulk_enrollments(
        self,
        key: str,
        /,
        *,
        limit: int | Omit = OMIT,
        cursor: str | Omit = OMIT,
    ) -> m.SequencesBulkEnrollmentsAnswer:
        """List the enrollments of whole segments, the newest first.

        Scope: `sequences:read`

        GET /sequences/{key}/bulk-enrollments

        limit: 50 when omitted
        cursor: From the answer before; the filters stay as they are
        """
        answer: m.SequencesBulkEnrollmentsAnswer = await self._caller.json(O["sequences.bulkEnrollments"], (key,), {"limit": limit, "cursor": cursor})
        return answer

    def iterate_bulk_enrollments(self, key: str, /, *, limit: int | Omit = OMIT) -> AsyncIterator[m.BulkEnrollment]:
        """List the enrollments of whole segments, the newest first: each of them, over all pages. Pages are asked for as they are
        needed.
        """
        return self._caller.pages(O["sequences.bulkEnrollments"], (key,), {"limit": limit}, ('bulks',), "cursor")

    async def get_bulk_enrollment(self, key: str, id: str, /) -> m.SequencesGetBulkEnrollmentAnswer:
        """How far the enrollment of a whole segment is.

        Scope: `sequences:read`

        GET /sequences/{key}/bulk-enrollments/{id}
        """
        answer: m.SequencesGetBulkEnrollmentAnswer = await self._caller.json(O["sequences.getBulkEnrollment"], (key, id), {})
        return answer

    async def cancel_bulk_enrollment(self, key: str, id: str, /) -> m.SequencesCancelBulkEnrollmentAnswer:
        """Cancel the enrollment of a whole segment; who was enrolled stays so.

        After the answer nobody more is enrolled by it. One that has ended is 404, as a run is that has.

        Scope: `sequences:write`

        DELETE /sequences/{key}/bulk-enrollments/{id}
        """
        answer: m.SequencesCancelBulkEnrollmentAnswer = await self._caller.json(O["sequences.cancelBulkEnrollment"], (key, id), {})
        return answer

    @overload
    async def start_action(
        self,
        key: str,
        /,
        *,
        action: m.RunAction,
        filter: m.RunFilter,
        to: str | None | Omit = OMIT,
        dry_run: bool | None | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
    ) -> m.SequencesStartActionAnswer | m.SequencesStartActionAccepted:
        """Move, cancel, resume or retry all runs that match.

        It is answered at once with 202 and goes on by itself, whatever process dies. The runs that match at that moment are
        taken one after the other, each once; one that does not match any more when its turn comes is skipped. With `dryRun`
        nothing is done, and the answer is 200 with their number. At most ten at a time for each sequence, else
        `invalid_status`; so is one of an archived sequence.

        Scope: `sequences:write`

        POST /sequences/{key}/enrollments/actions

        to: A node of the current version. A move requires it; of a retry the runs go on there, and not where they failed
        dry_run: true: nothing is done, and the answer says how many match
        idempotency_key: One of yours, like `invoice-2207-paid`; made for each call when omitted
        """

    @overload
    async def start_action(
        self,
        key: str,
        body: m.EnrollmentActionInput,
        /,
        *,
        idempotency_key: str | Omit = OMIT,
    ) -> m.SequencesStartActionAnswer | m.SequencesStartActionAccepted: ...

    async def start_action(
        self,
        key: str,
        /,
        *body: m.EnrollmentActionInput,
        **fields: Any,
    ) -> m.SequencesStartActionAnswer | m.SequencesStartActionAccepted:
        answer: m.SequencesStartActionAnswer | m.SequencesStartActionAccepted = await self._caller.json(O["sequences.startAction"], (key,), fields, *body)
        return answer

    async def actions(
        self,
        key: str,
        /,
        *,
        limit: int | Omit = OMIT,
        cursor: str | Omit = OMIT,
    ) -> m.SequencesActionsAnswer:
        """List what was done with many runs at once, the newest first.

        Scope: `sequences:read`

        GET /sequences/{key}/enrollments/actions

        limit: 50 when omitted
        cursor: From the answer before; the filters stay as they are
        """
        answer: m.SequencesActionsAnswer = await self._caller.json(O["sequences.actions"], (key,), {"limit": limit, "cursor": cursor})
        return answer

    def iterate_actions(self, key: str, /, *, limit: int | Omit = OMIT) -> AsyncIterator[m.EnrollmentAction]:
        """List what was done with many runs at once, the newest first: each of them, over all pages. Pages are asked for as they
        are needed.
        """
        return self._caller.pages(O["sequences.actions"], (key,), {"limit": limit}, ('actions',), "cursor")

    async def get_action(self, key: str, id: str, /) -> m.SequencesGetActionAnswer:
        """How far it is.

        Scope: `sequences:read`

        GET /sequences/{key}/enrollments/actions/{id}
        """
        answer: m.SequencesGetActionAnswer = await self._caller.json(O["sequences.getAction"], (key, id), {})
        return answer

    async def cancel_action(self, key: str, id: str, /) -> m.SequencesCancelActionAnswer:
        """Cancel what is done with many runs; what was done stays.

        After the answer no further run is touched by it. One that has ended is 404, as a run is that has.

        Scope: `sequences:write`

        POST /sequences/{key}/enrollments/actions/{id}/cancel
        """
        answer: m.SequencesCancelActionAnswer = await self._caller.json(O["sequences.cancelAction"], (key, id), {})
        return answer

    @overload
    async def enroll(
        self,
        key: str,
        /,
        *,
        email: m.Email,
        contact_id: str | None | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
    ) -> m.SequencesEnrollAnswer:
        """Enroll one contact.

        A refusal is 422 enroll_failed with `reason`: sequence_not_active, contact_unsubscribed, already_enrolled,
        already_completed, cooldown

        Scope: `sequences:write`

        POST /sequences/{key}/enroll

        email: Of a contact of the project; required unless contactId is given
        contact_id: Takes precedence over email
        idempotency_key: One of yours, like `invoice-2207-paid`; made for each call when omitted
        """

    @overload
    async def enroll(
        self,
        key: str,
        /,
        *,
        contact_id: str,
        email: m.Email | None | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
    ) -> m.SequencesEnrollAnswer: ...

    @overload
    async def enroll(
        self,
        key: str,
        body: m.EnrollInput,
        /,
        *,
        idempotency_key: str | Omit = OMIT,
    ) -> m.SequencesEnrollAnswer: ...

    async def enroll(self, key: str, /, *body: m.EnrollInput, **fields: Any) -> m.SequencesEnrollAnswer:
        answer: m.SequencesEnrollAnswer = await self._caller.json(O["sequences.enroll"], (key,), fields, *body)
        return answer

    @overload
    async def enroll_many(
        self,
        key: str,
        /,
        *,
        contact_ids: List[str],
        emails: List[str] | None | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
    ) -> m.SequencesEnrollManyAnswer:
        """Enroll up to 5000 contacts.

        Unknown and refused contacts and repeats count as skipped: requested = enrolled + skipped.

        Scope: `sequences:write`

        POST /sequences/{key}/enroll/bulk

        contact_ids: Take precedence over emails
        emails: Of contacts of the project; required unless contactIds is given
        idempotency_key: One of yours, like `invoice-2207-paid`; made for each call when omitted
        """

    @overload
    async def enroll_many(
        self,
        key: str,
        /,
        *,
        emails: List[str],
        contact_ids: List[str] | None | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
    ) -> m.SequencesEnrollManyAnswer: ...

    @overload
    async def enroll_many(
        self,
        key: str,
        body: m.BulkEnrollInput,
        /,
        *,
        idempotency_key: str | Omit = OMIT,
    ) -> m.SequencesEnrollManyAnswer: ...

    async def enroll_many(self, key: str, /, *body: m.BulkEnrollInput, **fields: Any) -> m.SequencesEnrollManyAnswer:
        answer: m.SequencesEnrollManyAnswer = await self._caller.json(O["sequences.enrollMany"], (key,), fields, *body)
        return answer

    async def enrollments(
        self,
        key: str,
        /,
        *,
        contact_id: str | Omit = OMIT,
        status: m.EnrollmentStatus | Omit = OMIT,
        node_id: str | Omit = OMIT,
        waiting_for: m.Wait | str | Omit = OMIT,
        failed_steps: Literal['some'] | Omit = OMIT,
        held: Literal['some'] | m.HoldReason | Omit = OMIT,
        version: int | Omit = OMIT,
        left_out: Literal['some'] | m.MailLeftOutReason | Omit = OMIT,
        left_out_at: str | Omit = OMIT,
        limit: int | Omit = OMIT,
        cursor: str | Omit = OMIT,
    ) -> m.SequencesEnrollmentsAnswer:
        """List a sequence's enrollments, the last started first.

        Scope: `sequences:read`

        GET /sequences/{key}/enrollments

        contact_id: A contact's id
        status: Only those that are under way, came to an end of the flow, or were ended before
        node_id: Only those that stand at the node with this id, or have ended there
        waiting_for: Only those that wait for this
        failed_steps: `some`: only those of which a step failed; all when omitted
        held: Only those that are held for this reason, or for any (`some`); all when omitted
        version: Only those that go through this version of the graph; all when omitted
        left_out: Only those that went on without an email for this reason, or for any (`some`). Of the 10,000 runs that started
        last, as GET /sequences/:key/flow counts them
        left_out_at: Only those that went on without the email of the node with this id; likewise
        limit: 50 when omitted
        cursor: From the answer before; the filters stay as they are
        """
        answer: m.SequencesEnrollmentsAnswer = await self._caller.json(O["sequences.enrollments"], (key,), {"contact_id": contact_id, "status": status, "node_id": node_id, "waiting_for": waiting_for, "failed_steps": failed_steps, "held": held, "version": version, "left_out": left_out, "left_out_at": left_out_at, "limit": limit, "cursor": cursor})
        return answer

    def iterate_enrollments(
        self,
        key: str,
        /,
        *,
        contact_id: str | Omit = OMIT,
        status: m.EnrollmentStatus | Omit = OMIT,
        node_id: str | Omit = OMIT,
        waiting_for: m.Wait | str | Omit = OMIT,
        failed_steps: Literal['some'] | Omit = OMIT,
        held: Literal['some'] | m.HoldReason | Omit = OMIT,
        version: int | Omit = OMIT,
        left_out: Literal['some'] | m.MailLeftOutReason | Omit = OMIT,
        left_out_at: str | Omit = OMIT,
        limit: int | Omit = OMIT,
    ) -> AsyncIterator[m.ListedEnrollment]:
        """List a sequence's enrollments, the last started first: each of them, over all pages. Pages are asked for as they are
        needed.
        """
        return self._caller.pages(O["sequences.enrollments"], (key,), {"contact_id": contact_id, "status": status, "node_id": node_id, "waiting_for": waiting_for, "failed_steps": failed_steps, "held": held, "version": version, "left_out": left_out, "left_out_at": left_out_at, "limit": limit}, ('enrollments',), "cursor")


class AsyncService:
    """`everpost.service`: Whether the process lives and can do its work, and this description"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def health(self) -> m.ServiceHealthAnswer:
        """Whether the process lives; touches no dependency.

        No key is asked for.

        GET /health
        """
        answer: m.ServiceHealthAnswer = await self._caller.json(O["service.health"], (), {})
        return answer

    async def post_health(self) -> m.ServicePostHealthAnswer:
        """The same as GET /health.

        No key is asked for.

        POST /health
        """
        answer: m.ServicePostHealthAnswer = await self._caller.json(O["service.postHealth"], (), {})
        return answer

    async def ready(self) -> m.ServiceReadyAnswer:
        """Whether the database and Temporal answer.

        503 not_ready with the same checks when one is down, within half a second. While Temporal is down every other route
        keeps working.

        No key is asked for.

        GET /ready
        """
        answer: m.ServiceReadyAnswer = await self._caller.json(O["service.ready"], (), {})
        return answer

    async def openapi(self) -> m.ServiceOpenapiAnswer:
        """This description, as OpenAPI 3.1.

        No key is asked for.

        GET /openapi.json
        """
        answer: m.ServiceOpenapiAnswer = await self._caller.json(O["service.openapi"], (), {})
        return answer


class AsyncStats:
    """`everpost.stats`: How many emails were sent and what became of them, and how many contacts came and went"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def sends(
        self,
        *,
        period: Literal['24h', '7d', '30d'] | Omit = OMIT,
        timezone: str | Omit = OMIT,
        by: Literal['domain', 'receiver'] | Omit = OMIT,
    ) -> m.StatsSendsAnswer:
        """Count the emails of the last 24 hours, 7 or 30 days.

        By the hour or day in which an email was sent, with what has become of it since: an open tomorrow counts for today’s
        email. The last bucket is the one that now is in. With `by` also what became of them by sending domain or receiver: of
        those that left, and of none from before migration 0079.

        Scope: `sends:read`

        GET /stats

        period: 24h: by the hour; 7d and 30d: by the day
        timezone: Whose days are counted. A zone half an hour off has the hour in which its day begins in the day before
        by: Also by the domain that emails are from, or by receiver, 50 rows at most
        """
        answer: m.StatsSendsAnswer = await self._caller.json(O["stats.sends"], (), {"period": period, "timezone": timezone, "by": by})
        return answer

    async def contacts(
        self,
        *,
        period: Literal['24h', '7d', '30d'] | Omit = OMIT,
        timezone: str | Omit = OMIT,
    ) -> m.StatsContactsAnswer:
        """Count the contacts that came and went in the last 24 hours, 7 or 30 days.

        By the hour or day in which it happened. Who was made, unsubscribed and was erased counts for each of these. The last
        bucket is the one that now is in, and `contacts` are those of the same instant. Of contacts that were erased before this
        was counted nothing is known.

        Scope: `contacts:read`

        GET /stats/contacts

        period: 24h: by the hour; 7d and 30d: by the day
        timezone: Whose days are counted. A zone half an hour off has the hour in which its day begins in the day before
        """
        answer: m.StatsContactsAnswer = await self._caller.json(O["stats.contacts"], (), {"period": period, "timezone": timezone})
        return answer


class AsyncSuppressions:
    """`everpost.suppressions`: Addresses that get no email at all"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        *,
        q: str | Omit = OMIT,
        email: m.Email | Omit = OMIT,
        reason: m.SuppressionReason | Omit = OMIT,
        limit: int | Omit = OMIT,
        cursor: str | Omit = OMIT,
    ) -> m.SuppressionsListAnswer:
        """List suppressed addresses, newest first.

        All of them in one answer, unless `limit` or `cursor` asks for pages: with many thousands do that. Addresses whose
        contact was erased are suppressed too and not listed, since only a hash of them is kept.

        Scope: `suppressions:read`, or a key that has no reading scope

        GET /suppressions

        q: Part of the address
        email: The whole address
        reason: `bounce`: email came back, as the provider reports; `complaint`: email was marked as spam, as the provider
        reports; `manual`: added by hand; `global_unsubscribe`: an opt-out from everything
        limit: Pages of so many; 50 when only `cursor` is given
        cursor: From the answer before; the filters stay as they are
        """
        answer: m.SuppressionsListAnswer = await self._caller.json(O["suppressions.list"], (), {"q": q, "email": email, "reason": reason, "limit": limit, "cursor": cursor})
        return answer

    def iterate(
        self,
        *,
        q: str | Omit = OMIT,
        email: m.Email | Omit = OMIT,
        reason: m.SuppressionReason | Omit = OMIT,
        limit: int | Omit = OMIT,
    ) -> AsyncIterator[m.Suppression]:
        """List suppressed addresses, newest first: each of them, over all pages. Pages are asked for as they are needed."""
        return self._caller.pages(O["suppressions.list"], (), {"q": q, "email": email, "reason": reason, "limit": limit}, ('suppressions',), "cursor")

    @overload
    async def create(
        self,
        *,
        email: m.Email,
        reason: m.SuppressionReason | None | Omit = OMIT,
    ) -> m.SuppressionsCreateAnswer:
        """Suppress an address: it gets no email at all.

        One reason an address: the first stays unless the new one is complaint, and the answer names the stored one. complaint
        and global_unsubscribe also unsubscribe a matching contact.

        Scope: `suppressions:write`

        POST /suppressions

        reason: manual when omitted
        """

    @overload
    async def create(self, body: m.SuppressionInput, /) -> m.SuppressionsCreateAnswer: ...

    async def create(self, *body: m.SuppressionInput, **fields: Any) -> m.SuppressionsCreateAnswer:
        answer: m.SuppressionsCreateAnswer = await self._caller.json(O["suppressions.create"], (), fields, *body)
        return answer

    async def delete(self, email: str, /) -> m.SuppressionsDeleteAnswer:
        """Take an address off the list.

        Scope: `suppressions:write`

        DELETE /suppressions/{email}
        """
        answer: m.SuppressionsDeleteAnswer = await self._caller.json(O["suppressions.delete"], (email,), {})
        return answer


class AsyncTemplates:
    """`everpost.templates`: What emails say: enabled, written, published and tried for each brand"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(self, *, brand: str | Omit = OMIT) -> m.TemplatesListAnswer:
        """List the templates of the installation and of the project, as a brand has set them.

        Scope: `templates:read`, or a key that has no reading scope

        GET /templates

        brand: A brand's slug; the project's default when omitted
        """
        answer: m.TemplatesListAnswer = await self._caller.json(O["templates.list"], (), {"brand": brand})
        return answer

    @overload
    async def create(
        self,
        *,
        key: str,
        type: m.SendType,
        name: str,
        subject: str,
        content: m.TemplateContent,
        description: str | None | Omit = OMIT,
        data_schema: List[m.TemplateDataFieldInput] | None | Omit = OMIT,
    ) -> m.TemplatesCreateAnswer:
        """Make a template of your own.

        A project has at most 200 (`too_many_templates`). It is off until PUT /templates/:key enables it, as every template is,
        and is for all brands of the project; its content is what renders until PUT /templates/:key/content publishes another. A
        key that the installation or the project has is 409 `duplicate_key`. Variables that no email has are told in `warnings`,
        as by PUT /templates/:key/content.

        Scope: `templates:write`

        POST /templates

        key: Names it in sends, campaigns and sequences
        name: For your own lists
        description: What it is for
        subject: Liquid
        data_schema: The variables that it expects in data; 64 KB at most, samples included
        """

    @overload
    async def create(self, body: m.NewTemplateInput, /) -> m.TemplatesCreateAnswer: ...

    async def create(self, *body: m.NewTemplateInput, **fields: Any) -> m.TemplatesCreateAnswer:
        answer: m.TemplatesCreateAnswer = await self._caller.json(O["templates.create"], (), fields, *body)
        return answer

    async def schema(self, key: str, /, *, brand: str | Omit = OMIT) -> m.TemplatesSchemaAnswer:
        """Tell which variables a template uses.

        Variables of the published content and the subject that the registry does not declare are listed too; declared ones that
        neither uses are marked `used: false`. An email is not sent without those that are `required`: `{ "path": "resetUrl",
        "kind": "url", "required": true, "sample": "https://example.com/reset?token=Zk3vR8" }`.

        Scope: `templates:read`, or a key that has no reading scope

        GET /templates/{key}/schema

        brand: A brand's slug; the project's default when omitted
        """
        answer: m.TemplatesSchemaAnswer = await self._caller.json(O["templates.schema"], (key,), {"brand": brand})
        return answer

    @overload
    async def replace_schema(
        self,
        key: str,
        /,
        *,
        data_schema: List[m.TemplateDataFieldInput],
        if_version: int | Omit = OMIT,
    ) -> m.TemplatesReplaceSchemaAnswer:
        """Declare the variables of a template of your own anew.

        All of them: what is left out is declared no more. For all brands, at once, as a new version unless nothing is
        different; a campaign that has begun keeps the one that it began with. Those of the installation stay as they are
        (`template_not_own`).

        Scope: `templates:write`

        PUT /templates/{key}/schema

        data_schema: The variables that it expects in data; 64 KB at most, samples included
        if_version: The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is
        another by now
        """

    @overload
    async def replace_schema(
        self,
        key: str,
        body: m.TemplateSchemaInput,
        /,
        *,
        if_version: int | Omit = OMIT,
    ) -> m.TemplatesReplaceSchemaAnswer: ...

    async def replace_schema(
        self,
        key: str,
        /,
        *body: m.TemplateSchemaInput,
        **fields: Any,
    ) -> m.TemplatesReplaceSchemaAnswer:
        answer: m.TemplatesReplaceSchemaAnswer = await self._caller.json(O["templates.replaceSchema"], (key,), fields, *body)
        return answer

    @overload
    async def enable(
        self,
        key: str,
        /,
        *,
        enabled: bool | None | Omit = OMIT,
        default_subject: str | None | Omit = OMIT,
        from_: m.Sender | None | Omit = OMIT,
        brand: str | None | Omit = OMIT,
    ) -> m.TemplatesEnableAnswer:
        """Enable a template, set its subject and sender.

        Enables the template unless it says `enabled: false`. Where something else was set and the template was off, the answer
        says so: `{ "warnings": [{ "path": "enabled", "message": "receipt was off and is enabled now, …" }] }`.

        Scope: `templates:write`

        PUT /templates/{key}

        enabled: true when omitted
        default_subject: Liquid; used when a send omits its subject. A blank one clears
        from_: null clears, omitted keeps
        brand: A brand's slug; the project's default when omitted
        """

    @overload
    async def enable(self, key: str, body: m.TemplateInput, /) -> m.TemplatesEnableAnswer: ...

    async def enable(self, key: str, /, *body: m.TemplateInput, **fields: Any) -> m.TemplatesEnableAnswer:
        answer: m.TemplatesEnableAnswer = await self._caller.json(O["templates.enable"], (key,), fields, *body)
        return answer

    @overload
    async def update(
        self,
        key: str,
        /,
        *,
        name: str | None | Omit = OMIT,
        description: str | None | Omit = OMIT,
    ) -> m.TemplatesUpdateAnswer:
        """Rename a template of your own.

        For all brands; what is omitted stays. Its key stays: the API, sequences and campaigns go by it. Those of the
        installation keep their names (`template_not_own`).

        Scope: `templates:write`

        PATCH /templates/{key}

        name: For your own lists
        description: What it is for
        """

    @overload
    async def update(self, key: str, body: m.TemplateTextsInput, /) -> m.TemplatesUpdateAnswer: ...

    async def update(self, key: str, /, *body: m.TemplateTextsInput, **fields: Any) -> m.TemplatesUpdateAnswer:
        answer: m.TemplatesUpdateAnswer = await self._caller.json(O["templates.update"], (key,), fields, *body)
        return answer

    async def delete(self, key: str, /) -> m.TemplatesDeleteAnswer:
        """Delete a template of your own.

        With its settings and versions, for all brands. What would still send it fails with `unknown_template`: the steps of
        sequences, which go on behind it, the recipients that a campaign has left, and a campaign that has not begun. Those of
        the installation cannot be deleted (`template_not_own`).

        Scope: `templates:write`

        DELETE /templates/{key}
        """
        answer: m.TemplatesDeleteAnswer = await self._caller.json(O["templates.delete"], (key,), {})
        return answer

    async def content(
        self,
        key: str,
        /,
        *,
        brand: str | Omit = OMIT,
        locale: str | Omit = OMIT,
    ) -> m.TemplatesContentAnswer:
        """Read a template's content: as it ships, the draft, the published version.

        Scope: `templates:read`, or a key that has no reading scope

        GET /templates/{key}/content

        brand: A brand's slug; the project's default when omitted
        locale: A language, by its BCP 47 tag; the default when omitted
        """
        answer: m.TemplatesContentAnswer = await self._caller.json(O["templates.content"], (key,), {"brand": brand, "locale": locale})
        return answer

    @overload
    async def save_content(
        self,
        key: str,
        /,
        *,
        content: m.TemplateContent,
        subject: str | None | Omit = OMIT,
        publish: bool | None | Omit = OMIT,
        brand: str | None | Omit = OMIT,
        locale: str | None | Omit = OMIT,
        if_version: int | Omit = OMIT,
    ) -> m.TemplatesSaveContentAnswer:
        """Save content as the draft, or publish it.

        Without publish the content replaces the draft; with it the content becomes the published version and the draft is gone
        (GET /templates/:key/versions says what of it stays). A `subject` is part of the version: with publish it is set as by
        `defaultSubject` of PUT /templates/:key, of a draft previews and test mails have it. `ifVersion` is the higher version
        of both. Variables that no email has are told in `warnings`: `[{ "path": "content", "message": "contact.firstName is no
        variable; did you mean contact.first_name?" }]`.

        Scope: `templates:write`

        PUT /templates/{key}/content

        subject: Liquid; a blank one is the template's own. Omitted: the one that is set stays
        publish: true: emails say it from now on; a draft when omitted
        brand: A brand's slug; the project's default when omitted
        locale: The language that it is in, for whom that is nearest; the default when omitted. The query may name it instead,
        but not another
        if_version: The version that the change was made from, 0 where there was none: 409 `version_conflict` when there is
        another by now
        """

    @overload
    async def save_content(
        self,
        key: str,
        body: m.TemplateContentInput,
        /,
        *,
        if_version: int | Omit = OMIT,
    ) -> m.TemplatesSaveContentAnswer: ...

    async def save_content(
        self,
        key: str,
        /,
        *body: m.TemplateContentInput,
        **fields: Any,
    ) -> m.TemplatesSaveContentAnswer:
        answer: m.TemplatesSaveContentAnswer = await self._caller.json(O["templates.saveContent"], (key,), fields, *body)
        return answer

    async def languages(self, key: str, /, *, brand: str | Omit = OMIT) -> m.TemplatesLanguagesAnswer:
        """List the languages of a template, and which of them are behind.

        An email is in the language of its call, else of its contact: the nearest that is published, from the whole tag to its
        language alone (`de-AT`, `de`), else the default. PUT /templates/:key/content with `locale` writes one.

        Scope: `templates:read`, or a key that has no reading scope

        GET /templates/{key}/languages

        brand: A brand's slug; the project's default when omitted
        """
        answer: m.TemplatesLanguagesAnswer = await self._caller.json(O["templates.languages"], (key,), {"brand": brand})
        return answer

    async def delete_language(
        self,
        key: str,
        locale: str,
        /,
        *,
        brand: str | Omit = OMIT,
    ) -> m.TemplatesDeleteLanguageAnswer:
        """Take a language away from a template.

        Whoever got it gets the next nearest from now on, or the default. Campaigns that have begun go on as they began, and its
        versions stay to be read.

        Scope: `templates:write`

        DELETE /templates/{key}/languages/{locale}

        brand: A brand's slug; the project's default when omitted
        """
        answer: m.TemplatesDeleteLanguageAnswer = await self._caller.json(O["templates.deleteLanguage"], (key, locale), {"brand": brand})
        return answer

    async def versions(
        self,
        key: str,
        /,
        *,
        brand: str | Omit = OMIT,
        locale: str | Omit = OMIT,
        limit: int | Omit = OMIT,
        before: int | Omit = OMIT,
    ) -> m.TemplatesVersionsAnswer:
        """List the versions of a template that a brand has saved, latest first.

        Every version that was published is kept, and of the drafts the one that is there and the last 10 that a later version
        has replaced; a draft that was published as it was, or saved again, is one with that version. So numbers may be missing.
        What the template came with, before all of them, is `first`: its content is `defaultContent` of GET
        /templates/:key/content.

        Scope: `templates:read`, or a key that has no reading scope

        GET /templates/{key}/versions

        brand: A brand's slug; the project's default when omitted
        locale: A language, by its BCP 47 tag; the default when omitted
        limit: 50 when omitted
        before: Only versions before this one: the next page
        """
        answer: m.TemplatesVersionsAnswer = await self._caller.json(O["templates.versions"], (key,), {"brand": brand, "locale": locale, "limit": limit, "before": before})
        return answer

    def iterate_versions(
        self,
        key: str,
        /,
        *,
        brand: str | Omit = OMIT,
        locale: str | Omit = OMIT,
        limit: int | Omit = OMIT,
    ) -> AsyncIterator[m.ListedTemplateVersion]:
        """List the versions of a template that a brand has saved, latest first: each of them, over all pages. Pages are asked for
        as they are needed.
        """
        return self._caller.pages(O["templates.versions"], (key,), {"brand": brand, "locale": locale, "limit": limit}, ('versions',), "before")

    async def get_version(
        self,
        key: str,
        version: str | int,
        /,
        *,
        brand: str | Omit = OMIT,
        locale: str | Omit = OMIT,
    ) -> m.TemplatesGetVersionAnswer:
        """Read one version of a template.

        PUT /templates/:key/content with its content and subject makes it the latest again, as a draft or published.

        Scope: `templates:read`, or a key that has no reading scope

        GET /templates/{key}/versions/{version}

        brand: A brand's slug; the project's default when omitted
        locale: A language, by its BCP 47 tag; the default when omitted
        """
        answer: m.TemplatesGetVersionAnswer = await self._caller.json(O["templates.getVersion"], (key, version), {"brand": brand, "locale": locale})
        return answer

    @overload
    async def preview(
        self,
        key: str,
        /,
        *,
        data: Mapping[str, m.JsonValue] | None | Omit = OMIT,
        contact_id: str | None | Omit = OMIT,
        contact: m.Contact1 | None | Omit = OMIT,
        brand: str | None | Omit = OMIT,
        content: m.TemplateContent | Omit = OMIT,
        marks: bool | None | Omit = OMIT,
        subject: str | None | Omit = OMIT,
        version: Literal['draft', 'published'] | None | Omit = OMIT,
        locale: str | None | Omit = OMIT,
    ) -> m.TemplatesPreviewAnswer:
        """Render a template without sending it.

        Renders the given content, which needs the scope templates:write, else the draft or what is published; with contactId
        the scope contacts:read is needed, and with contact it is for a person that you make up. The unsubscribe link of a
        preview leads nowhere. Data that the template requires may lack: `missing` names it, and only an email fails for it. GET
        /templates/:key/schema has a sample of each.

        Scope: `templates:read`, or a key that has no reading scope

        POST /templates/{key}/preview

        data: Template variables; an unknown path renders empty. At most 256 KB
        contact_id: Whom it is rendered for, for which the scope contacts:read is needed
        contact: A contact that exists only in this request, when contactId is omitted: what it lacks of `contact` is not told
        as missing
        brand: A brand's slug; the project's default when omitted
        content: What to render in place of what is saved
        marks: true: in the HTML each block of `content` stands between the comments `<!--block content.blocks[2]-->` and
        `<!--/block-->`
        subject: Liquid, in place of the brand's or the template's own
        version: The draft by default when there is one; without it, and where there is no such version, what a send would use
        locale: The language to show: its draft, else what a send in it would use. The contact's when omitted, as in a send. The
        query may name it instead, but not another
        """

    @overload
    async def preview(self, key: str, body: m.TemplatePreviewInput, /) -> m.TemplatesPreviewAnswer: ...

    async def preview(self, key: str, /, *body: m.TemplatePreviewInput, **fields: Any) -> m.TemplatesPreviewAnswer:
        answer: m.TemplatesPreviewAnswer = await self._caller.json(O["templates.preview"], (key,), fields, *body)
        return answer

    @overload
    async def send_test(
        self,
        key: str,
        /,
        *,
        to: m.Email,
        data: Mapping[str, m.JsonValue] | None | Omit = OMIT,
        contact_id: str | None | Omit = OMIT,
        contact: m.Contact1 | None | Omit = OMIT,
        brand: str | None | Omit = OMIT,
        subject: str | None | Omit = OMIT,
        version: Literal['draft', 'published'] | None | Omit = OMIT,
        locale: str | None | Omit = OMIT,
    ) -> m.TemplatesSendTestAnswer:
        """Send a template to one address to look at it.

        Sends the draft when there is one, unless `version` says published, whether or not the template is enabled; the send log
        has it with source_type test. `contact` in the email is whom a preview shows: the contact of contactId, for which the
        scope contacts:read is needed, or with contact a person that you make up; without both it is the contact that has the
        address, if there is one. `recipient` is always that of `to`, and the unsubscribe link is about nobody.

        Scope: `send`

        POST /templates/{key}/test

        to: Whom to send it to
        data: Template variables; an unknown path renders empty. At most 256 KB
        contact_id: Whom it is rendered for, for which the scope contacts:read is needed
        contact: A contact that exists only in this request, when contactId is omitted: what it lacks of `contact` is not told
        as missing
        brand: A brand's slug; the project's default when omitted
        subject: Liquid, in place of the brand's or the template's own
        version: The draft by default when there is one; without it, and where there is no such version, what a send would use
        locale: The language to show: its draft, else what a send in it would use. The contact's when omitted, as in a send. The
        query may name it instead, but not another
        """

    @overload
    async def send_test(self, key: str, body: m.TemplateTestInput, /) -> m.TemplatesSendTestAnswer: ...

    async def send_test(self, key: str, /, *body: m.TemplateTestInput, **fields: Any) -> m.TemplatesSendTestAnswer:
        answer: m.TemplatesSendTestAnswer = await self._caller.json(O["templates.sendTest"], (key,), fields, *body)
        return answer

    async def source(self, key: str, /, *, brand: str | Omit = OMIT) -> m.TemplatesSourceAnswer:
        """Read all that a template is and says, as files keep it.

        What emails say at this moment, in every language; drafts are told and not shown.

        Scope: `templates:read`, or a key that has no reading scope

        GET /templates/{key}/source

        brand: A brand's slug; the project's default when omitted
        """
        answer: m.TemplatesSourceAnswer = await self._caller.json(O["templates.source"], (key,), {"brand": brand})
        return answer

    @overload
    async def check(
        self,
        key: str,
        /,
        *,
        type: m.SendType,
        name: str,
        subject: str,
        description: str | None | Omit = OMIT,
        content: m.TemplateContent | Omit = OMIT,
        data_schema: List[m.TemplateDataFieldInput] | None | Omit = OMIT,
        from_: m.Sender | None | Omit = OMIT,
        languages: Mapping[str, m.Languages] | None | Omit = OMIT,
    ) -> m.TemplatesCheckAnswer:
        """Tell whether a template could be written so.

        Writes nothing. As POST /templates, PUT /templates/:key and PUT /templates/:key/content would decide of what is given,
        whether or not there is a template with this key: all that is wrong is told at once, of a language as
        `languages.de.content`.

        Scope: `templates:write`

        POST /templates/{key}/check

        name: For your own lists
        description: What it is for
        subject: Liquid
        content: What is published stays when omitted
        data_schema: The variables that it expects in data; 64 KB at most, samples included
        from_: Whom its emails are from, as PUT /templates/:key takes it
        languages: What it says in other languages, at most 50, by their BCP 47 tags
        """

    @overload
    async def check(self, key: str, body: m.TemplateCheckInput, /) -> m.TemplatesCheckAnswer: ...

    async def check(self, key: str, /, *body: m.TemplateCheckInput, **fields: Any) -> m.TemplatesCheckAnswer:
        answer: m.TemplatesCheckAnswer = await self._caller.json(O["templates.check"], (key,), fields, *body)
        return answer


class AsyncTopics:
    """`everpost.topics`: What people choose to get or not"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(self) -> m.TopicsListAnswer:
        """List the topics that people choose from.

        Any key will do.

        GET /topics
        """
        answer: m.TopicsListAnswer = await self._caller.json(O["topics.list"], (), {})
        return answer

    @overload
    async def create(
        self,
        *,
        key: str,
        name: str,
        description: str | None | Omit = OMIT,
        default_on: bool | None | Omit = OMIT,
        public: bool | None | Omit = OMIT,
    ) -> m.TopicsCreateAnswer:
        """Make a topic.

        A marketing email may name one topic, and then goes to those alone who have it on. The link at the end of a marketing
        email leads to a page with a switch for each topic. A project has at most 50 (`too_many_topics`).

        Scope: `topics:write`

        POST /topics

        key: Names it in calls, conditions and links; it cannot be changed
        name: As people read it, like "Monthly newsletter"
        description: What it is and how often it comes, for the page on which people choose
        default_on: Whether those get it who have not chosen; `true` when omitted
        public: Whether the page on which people choose offers it to everybody; `true` when omitted. Any other is shown to those
        who get it
        """

    @overload
    async def create(self, body: m.TopicInput, /) -> m.TopicsCreateAnswer: ...

    async def create(self, *body: m.TopicInput, **fields: Any) -> m.TopicsCreateAnswer:
        answer: m.TopicsCreateAnswer = await self._caller.json(O["topics.create"], (), fields, *body)
        return answer

    async def get(self, key: str, /) -> m.TopicsGetAnswer:
        """Read one topic.

        Any key will do.

        GET /topics/{key}
        """
        answer: m.TopicsGetAnswer = await self._caller.json(O["topics.get"], (key,), {})
        return answer

    @overload
    async def update(
        self,
        key: str,
        /,
        *,
        name: str | None | Omit = OMIT,
        description: str | None | Omit = OMIT,
        default_on: bool | None | Omit = OMIT,
        public: bool | None | Omit = OMIT,
    ) -> m.TopicsUpdateAnswer:
        """Change a topic.

        What people chose stays. Another `defaultOn` counts for those who have not chosen, from the next email on.

        Scope: `topics:write`

        PATCH /topics/{key}

        name: As people read it, like "Monthly newsletter"
        description: What it is and how often it comes, for the page on which people choose
        default_on: Whether those get it who have not chosen; `true` when omitted
        public: Whether the page on which people choose offers it to everybody; `true` when omitted. Any other is shown to those
        who get it
        """

    @overload
    async def update(self, key: str, body: m.TopicChange, /) -> m.TopicsUpdateAnswer: ...

    async def update(self, key: str, /, *body: m.TopicChange, **fields: Any) -> m.TopicsUpdateAnswer:
        answer: m.TopicsUpdateAnswer = await self._caller.json(O["topics.update"], (key,), fields, *body)
        return answer

    async def delete(self, key: str, /) -> m.TopicsDeleteAnswer:
        """Delete a topic.

        Emails that name it go to nobody from then on. What people chose stays with them: a topic that is made again under the
        key finds it.

        Scope: `topics:write`

        DELETE /topics/{key}
        """
        answer: m.TopicsDeleteAnswer = await self._caller.json(O["topics.delete"], (key,), {})
        return answer


class AsyncVocabulary:
    """`everpost.vocabulary`: Names that a project uses"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def get(self) -> m.VocabularyGetAnswer:
        """List the tags, sources, attributes and event types that a project uses.

        For choosing in forms, at most 1,000 of each. Tags and sources are complete up to that number, by name. Attributes are
        those of a sample, the 500 newest and the 500 oldest contacts, on the first level: one that only others have is not
        told. Event types are those of the last 90 days, the latest first; once there are 1,000 a further one is not told until
        another is that old.

        Scope: `contacts:read`

        GET /vocabulary
        """
        answer: m.VocabularyGetAnswer = await self._caller.json(O["vocabulary.get"], (), {})
        return answer


class AsyncWebhooks:
    """`everpost.webhooks`: Where a project is told of what happens, signed by Standard Webhooks 1.0"""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    @overload
    async def listen(
        self,
        *,
        events: List[m.WebhookEventType] | None | Omit = OMIT,
        secret: str | None | Omit = OMIT,
    ) -> m.WebhooksListenAnswer:
        """Listen to events for a while, without an address of your own.

        For a machine that nobody can call, like that of a developer: what happens from now on is fetched with POST
        /webhooks/listeners/:id/next, signed as it would be sent. It ends by itself when nobody has asked for 120 seconds: what
        happens after that is not kept for it. A project has at most 10 at once (`too_many_webhooks`). Endpoints get what they
        get, whoever listens.

        Scope: `webhooks:write`

        POST /webhooks/listeners

        events: null or empty: all of them, those of later versions too
        secret: Your own signing secret: whsec_ and the base64 of 24 to 64 bytes, or any text of 16 to 128 characters. Of
        another text than whsec_… the UTF-8 bytes are the key: libraries of Standard Webhooks take it as raw (`new
        Webhook(secret, { format: "raw" })`). Made when omitted
        """

    @overload
    async def listen(self, body: m.WebhookListenerInput, /) -> m.WebhooksListenAnswer: ...

    async def listen(self, *body: m.WebhookListenerInput, **fields: Any) -> m.WebhooksListenAnswer:
        answer: m.WebhooksListenAnswer = await self._caller.json(O["webhooks.listen"], (), fields, *body)
        return answer

    @overload
    async def next_events(
        self,
        id: str,
        /,
        *,
        done: List[str] | None | Omit = OMIT,
        answers: List[m.ListenerAnswer] | None | Omit = OMIT,
        wait_seconds: float | None | Omit = OMIT,
        limit: int | None | Omit = OMIT,
    ) -> m.WebhooksNextEventsAnswer:
        """Fetch what has happened, or wait for it.

        The oldest first, each with the headers and the exact body of a call of an endpoint. Name what you are done with in
        `done` of the next call: what is not named within 60 seconds comes again, with the same `webhook-id`. Where nothing has
        happened the call waits for it, and answers with an empty list when its time is over.

        Scope: `webhooks:write`

        POST /webhooks/listeners/{id}/next

        done: The `id` of each delivery that you are done with
        answers: What your receiver answered, which GET /webhooks/listeners/:id/deliveries then shows. You are done with these,
        too; the latest 200 are kept
        wait_seconds: How long to wait where nothing has happened: 25 when omitted
        limit: How many at most: 50 when omitted
        """

    @overload
    async def next_events(self, id: str, body: m.ListenerTurn, /) -> m.WebhooksNextEventsAnswer: ...

    async def next_events(self, id: str, /, *body: m.ListenerTurn, **fields: Any) -> m.WebhooksNextEventsAnswer:
        answer: m.WebhooksNextEventsAnswer = await self._caller.json(O["webhooks.nextEvents"], (id,), fields, *body)
        return answer

    async def listener_deliveries(self, id: str, /, *, limit: int | Omit = OMIT) -> m.WebhooksListenerDeliveriesAnswer:
        """List what waits for a listener, and what its receiver answered, newest first.

        Of what was told in `answers` the latest 200, while the listener is there. What is done without an answer is not kept.

        Scope: `webhooks:read`, or a key that has no reading scope

        GET /webhooks/listeners/{id}/deliveries

        limit: 50 when omitted
        """
        answer: m.WebhooksListenerDeliveriesAnswer = await self._caller.json(O["webhooks.listenerDeliveries"], (id,), {"limit": limit})
        return answer

    async def delete_listener(self, id: str, /) -> m.WebhooksDeleteListenerAnswer:
        """Listen no longer; what was not fetched is dropped.

        Scope: `webhooks:write`

        DELETE /webhooks/listeners/{id}
        """
        answer: m.WebhooksDeleteListenerAnswer = await self._caller.json(O["webhooks.deleteListener"], (id,), {})
        return answer

    async def list(self) -> m.WebhooksListAnswer:
        """List webhook endpoints, newest first.

        Scope: `webhooks:read`, or a key that has no reading scope

        GET /webhooks
        """
        answer: m.WebhooksListAnswer = await self._caller.json(O["webhooks.list"], (), {})
        return answer

    @overload
    async def create(
        self,
        *,
        url: str,
        events: List[m.WebhookEventType] | None | Omit = OMIT,
        secret: str | None | Omit = OMIT,
        keep_answers: bool | None | Omit = OMIT,
    ) -> m.WebhooksCreateAnswer:
        """Have events sent to an address of yours.

        What happens from now on is sent, signed by Standard Webhooks 1.0. A project has at most 100 endpoints
        (`too_many_webhooks`). The URL is checked as far as its form tells; a name is looked up when it is called.

        Scope: `webhooks:write`

        POST /webhooks

        url: https, without a user name or password. A literal address must be public; a name is looked up at every call, and
        then each of its addresses must be. Redirects are not followed.
        events: null or empty: all of them, those of later versions too
        secret: Your own signing secret: whsec_ and the base64 of 24 to 64 bytes, or any text of 16 to 128 characters. Of
        another text than whsec_… the UTF-8 bytes are the key: libraries of Standard Webhooks take it as raw (`new
        Webhook(secret, { format: "raw" })`). Made when omitted
        keep_answers: true: the first 2 KB of the body of each answer are kept with its delivery, and of answers of 2xx the
        headers too. A receiver may repeat what it was sent: an erased contact takes such answers along
        """

    @overload
    async def create(self, body: m.WebhookInput, /) -> m.WebhooksCreateAnswer: ...

    async def create(self, *body: m.WebhookInput, **fields: Any) -> m.WebhooksCreateAnswer:
        answer: m.WebhooksCreateAnswer = await self._caller.json(O["webhooks.create"], (), fields, *body)
        return answer

    @overload
    async def update(
        self,
        id: str,
        /,
        *,
        url: str | None | Omit = OMIT,
        events: List[m.WebhookEventType] | None | Omit = OMIT,
        enabled: bool | None | Omit = OMIT,
        keep_answers: bool | None | Omit = OMIT,
    ) -> m.WebhooksUpdateAnswer:
        """Change an endpoint, or switch it off and on.

        Only what is given changes; `events: null` or `[]` subscribes to all. While `enabled` is false nothing is written for
        the endpoint or sent to it; deliveries that are pending hold and go on when it is true again. The next attempt of each
        pending delivery goes to the changed URL.

        Scope: `webhooks:write`

        PATCH /webhooks/{id}

        url: https, without a user name or password. A literal address must be public; a name is looked up at every call, and
        then each of its addresses must be. Redirects are not followed.
        events: null or empty: all of them, those of later versions too
        enabled: false holds what is pending and writes nothing new
        keep_answers: true: the first 2 KB of the body of each answer are kept with its delivery, and of answers of 2xx the
        headers too. A receiver may repeat what it was sent: an erased contact takes such answers along
        """

    @overload
    async def update(self, id: str, body: m.WebhookChange, /) -> m.WebhooksUpdateAnswer: ...

    async def update(self, id: str, /, *body: m.WebhookChange, **fields: Any) -> m.WebhooksUpdateAnswer:
        answer: m.WebhooksUpdateAnswer = await self._caller.json(O["webhooks.update"], (id,), fields, *body)
        return answer

    async def delete(self, id: str, /) -> m.WebhooksDeleteAnswer:
        """Delete an endpoint; what is queued for it is dropped.

        Nothing is sent to it any more, except for calls that are under way at this moment.

        Scope: `webhooks:write`

        DELETE /webhooks/{id}
        """
        answer: m.WebhooksDeleteAnswer = await self._caller.json(O["webhooks.delete"], (id,), {})
        return answer

    @overload
    async def rotate(self, id: str, /, *, overlap_hours: float | None | Omit = OMIT) -> m.WebhooksRotateAnswer:
        """Make a new signing secret.

        It signs from now on, retries of earlier events too. The old one stops working at once, unless `overlapHours` says that
        both sign for so long: `webhook-signature` then carries two signatures, and a receiver takes whichever it knows.

        Scope: `webhooks:write`

        POST /webhooks/{id}/rotate

        overlap_hours: For so long the old secret signs, too; 0 when omitted, fractions are possible
        """

    @overload
    async def rotate(self, id: str, body: m.WebhookRotation, /) -> m.WebhooksRotateAnswer: ...

    async def rotate(self, id: str, /, *body: m.WebhookRotation, **fields: Any) -> m.WebhooksRotateAnswer:
        answer: m.WebhooksRotateAnswer = await self._caller.json(O["webhooks.rotate"], (id,), fields, *body)
        return answer

    @overload
    async def ping(
        self,
        id: str,
        /,
        *,
        type: Literal['webhook.ping', 'contact.subscribed', 'contact.unsubscribed', 'contact.topics_changed', 'contact.confirmed', 'email.sent', 'email.delivered', 'email.opened', 'email.clicked', 'email.bounced', 'email.complained', 'sequence.completed', 'campaign.completed', 'domain.verified', 'domain.failing'] | None | Omit = OMIT,
        data: Mapping[str, m.JsonValue] | None | Omit = OMIT,
    ) -> m.WebhooksPingAnswer:
        """Send a webhook.ping, or an event of your own to try out, at once.

        Signed like every event, also while the endpoint is disabled, within 10 s, once, and not recorded. `delivered`: the
        answer was 2xx. `responseStatus: null`: there was no answer, because of DNS, TLS, the time, or an address that is not
        public. A few pings to one endpoint may be under way at once; one more is `rate_limited`. With `type` or `data` that
        event is sent instead, marked by the header `everpost-test`, and the answer has what came back; neither changes
        deliveries or is tried again.

        Scope: `webhooks:write`

        POST /webhooks/{id}/ping

        type: `webhook.ping` when omitted
        data: The `data` of the event, as the receiver is to see it. At most 64 KB
        """

    @overload
    async def ping(self, id: str, body: m.WebhookTrial, /) -> m.WebhooksPingAnswer: ...

    async def ping(self, id: str, /, *body: m.WebhookTrial, **fields: Any) -> m.WebhooksPingAnswer:
        answer: m.WebhooksPingAnswer = await self._caller.json(O["webhooks.ping"], (id,), fields, *body)
        return answer

    async def deliveries(
        self,
        id: str,
        /,
        *,
        status: m.WebhookDeliveryStatus | Omit = OMIT,
        event_type: str | Omit = OMIT,
        from_: m.Timestamp | datetime | Omit = OMIT,
        to: m.Timestamp | datetime | Omit = OMIT,
        q: str | Omit = OMIT,
        limit: int | Omit = OMIT,
        cursor: str | Omit = OMIT,
    ) -> m.WebhooksDeliveriesAnswer:
        """List an endpoint's deliveries, newest first.

        Kept as long as they are pending, and for 30 days from the last attempt on.

        Scope: `webhooks:read`, or a key that has no reading scope

        GET /webhooks/{id}/deliveries

        status: `delivered`: the endpoint answered 2xx; `failed`: no attempt is left
        event_type: What happened, like `email.bounced`. Of a rare one a page may be short, or empty, while `nextCursor` leads
        to older ones
        from_: Made then or later
        to: Made before
        q: The whole `webhook-id`, or the whole `id` of the body
        limit: 50 when omitted
        cursor: From the answer before; the filters stay as they are
        """
        answer: m.WebhooksDeliveriesAnswer = await self._caller.json(O["webhooks.deliveries"], (id,), {"status": status, "event_type": event_type, "from_": from_, "to": to, "q": q, "limit": limit, "cursor": cursor})
        return answer

    def iterate_deliveries(
        self,
        id: str,
        /,
        *,
        status: m.WebhookDeliveryStatus | Omit = OMIT,
        event_type: str | Omit = OMIT,
        from_: m.Timestamp | datetime | Omit = OMIT,
        to: m.Timestamp | datetime | Omit = OMIT,
        q: str | Omit = OMIT,
        limit: int | Omit = OMIT,
    ) -> AsyncIterator[m.WebhookDelivery]:
        """List an endpoint's deliveries, newest first: each of them, over all pages. Pages are asked for as they are needed."""
        return self._caller.pages(O["webhooks.deliveries"], (id,), {"status": status, "event_type": event_type, "from_": from_, "to": to, "q": q, "limit": limit}, ('deliveries',), "cursor")

    async def get_delivery(self, id: str, delivery_id: str, /) -> m.WebhooksGetDeliveryAnswer:
        """Read one delivery, with what was answered to each attempt.

        Of an answer that is no 2xx the headers are kept for as long as the delivery, and of every answer its body, too, where
        the endpoint has `keep_answers`.

        Scope: `webhooks:read`, or a key that has no reading scope

        GET /webhooks/{id}/deliveries/{deliveryId}
        """
        answer: m.WebhooksGetDeliveryAnswer = await self._caller.json(O["webhooks.getDelivery"], (id, delivery_id), {})
        return answer

    async def retry_delivery(self, id: str, delivery_id: str, /) -> m.WebhooksRetryDeliveryAnswer:
        """Attempt a settled delivery again.

        With the same `webhook-id` and a fresh set of 6 attempts, the first at once. `delivery_pending`: it is not settled yet.

        Scope: `webhooks:write`

        POST /webhooks/{id}/deliveries/{deliveryId}/retry
        """
        answer: m.WebhooksRetryDeliveryAnswer = await self._caller.json(O["webhooks.retryDelivery"], (id, delivery_id), {})
        return answer

    async def attempt_delivery(self, id: str, delivery_id: str, /) -> m.WebhooksAttemptDeliveryAnswer:
        """Make the next attempt of a pending delivery now.

        For a receiver that is mended: what is planned for later is due now. It is one of its 6 attempts. What was settled
        meanwhile is begun again by /retry.

        Scope: `webhooks:write`

        POST /webhooks/{id}/deliveries/{deliveryId}/attempt
        """
        answer: m.WebhooksAttemptDeliveryAnswer = await self._caller.json(O["webhooks.attemptDelivery"], (id, delivery_id), {})
        return answer

    async def attempt_deliveries(self, id: str, /) -> m.WebhooksAttemptDeliveriesAnswer:
        """Make the next attempts of all pending deliveries of an endpoint now.

        The oldest first, at most 5,000 by one call: call again while `hasMore`. The endpoint is called no more often at once
        than ever: of its places half stay for what happens meanwhile. Attempts that are due already, or under way, are left as
        they are.

        Scope: `webhooks:write`

        POST /webhooks/{id}/deliveries/attempt
        """
        answer: m.WebhooksAttemptDeliveriesAnswer = await self._caller.json(O["webhooks.attemptDeliveries"], (id,), {})
        return answer

    @overload
    async def retry_failed(
        self,
        id: str,
        /,
        *,
        event_type: str | None | Omit = OMIT,
        from_: m.Timestamp | datetime | None | Omit = OMIT,
        to: m.Timestamp | datetime | None | Omit = OMIT,
    ) -> m.WebhooksRetryFailedAnswer:
        """Attempt all failed deliveries of an endpoint again.

        What has failed by now, or of that what the body asks for, each with its `webhook-id` and a fresh set of 6 attempts. It
        is answered at once and goes on by itself, whatever process dies: the oldest first, and no more at a time than hold up
        nothing that happens meanwhile. One at a time for each endpoint, else `invalid_status`.

        Scope: `webhooks:write`

        POST /webhooks/{id}/retries

        event_type: What happened, like `email.bounced`
        from_: Made then or later
        to: Made before
        """

    @overload
    async def retry_failed(self, id: str, body: m.WebhookRetryInput, /) -> m.WebhooksRetryFailedAnswer: ...

    async def retry_failed(self, id: str, /, *body: m.WebhookRetryInput, **fields: Any) -> m.WebhooksRetryFailedAnswer:
        answer: m.WebhooksRetryFailedAnswer = await self._caller.json(O["webhooks.retryFailed"], (id,), fields, *body)
        return answer

    async def latest_retry(
        self,
        id: str,
        /,
        *,
        event_type: str | Omit = OMIT,
        from_: m.Timestamp | datetime | Omit = OMIT,
        to: m.Timestamp | datetime | Omit = OMIT,
    ) -> m.WebhooksLatestRetryAnswer:
        """How far the latest retry of all failed deliveries is, how many have failed, and how many wait for their next attempt.

        Scope: `webhooks:read`, or a key that has no reading scope

        GET /webhooks/{id}/retries/latest

        event_type: Counts those of this type
        from_: Counts those made then or later
        to: Counts those made before
        """
        answer: m.WebhooksLatestRetryAnswer = await self._caller.json(O["webhooks.latestRetry"], (id,), {"event_type": event_type, "from_": from_, "to": to})
        return answer


class AsyncOperations:
    """What a client can do."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller
        self.attention = AsyncAttention(caller)
        self.brands = AsyncBrands(caller)
        self.campaigns = AsyncCampaigns(caller)
        self.contacts = AsyncContacts(caller)
        self.domains = AsyncDomains(caller)
        self.enrollments = AsyncEnrollments(caller)
        self.events = AsyncEvents(caller)
        self.files = AsyncFiles(caller)
        self.images = AsyncImages(caller)
        self.imports = AsyncImports(caller)
        self.inbound = AsyncInbound(caller)
        self.keys = AsyncKeys(caller)
        self.pages = AsyncPages(caller)
        self.project = AsyncProject(caller)
        self.recurring_campaigns = AsyncRecurringCampaigns(caller)
        self.saved_blocks = AsyncSavedBlocks(caller)
        self.segments = AsyncSegments(caller)
        self.sends = AsyncSends(caller)
        self.sequence_starters = AsyncSequenceStarters(caller)
        self.sequences = AsyncSequences(caller)
        self.service = AsyncService(caller)
        self.stats = AsyncStats(caller)
        self.suppressions = AsyncSuppressions(caller)
        self.templates = AsyncTemplates(caller)
        self.topics = AsyncTopics(caller)
        self.vocabulary = AsyncVocabulary(caller)
        self.webhooks = AsyncWebhooks(caller)

    @overload
    async def send(
        self,
        *,
        template: str,
        to: m.MailboxText,
        html: None | Omit = OMIT,
        text: None | Omit = OMIT,
        content: None | Omit = OMIT,
        contact_id: str | None | Omit = OMIT,
        type: m.SendType | None | Omit = OMIT,
        subject: str | None | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
        **fields: Unpack[a.SendFields],
    ) -> m.SendAnswer | m.SendAccepted:
        """Render a template, or content of the call, and send one email.

        Exactly one of `template`, `html` and/or `text`, and `content`; the latter two with `subject` and `type`. Answers after
        the provider did. A failed attempt is 422 send_failed with `reason`; 503 send_failed with reason provider_unavailable
        and Retry-After when it surely was not accepted and may pass. With `sendAt` it answers 202 at once, with the `id` that
        GET, PATCH and DELETE /sends/:id take; who may not get it, and what an email lacks, is found out when it goes, and
        stands in its row. So does a marketing email outside of the `sendWindow` of its project, when that opens, unless the
        call has `sendAt` or `ignoreWindow`.

        Scope: `send`

        POST /send

        template: Required unless the call brings its content
        html: In place of a template: the page, in Liquid. It is sent as it is given; made of `text` when that is given alone
        text: In place of a template, or beside `html`: the text part, in Liquid; made of `html` when omitted
        content: In place of a template: blocks or MJML, as templates have them
        to: Required unless contactId is given
        contact_id: Takes precedence over to
        type: The template's own when omitted; required without a template
        subject: Liquid; the template's when omitted; required without a template
        data: Template variables; an unknown path renders empty. At most 256 KB
        brand: A brand's slug; the contact's, else the project's default, when omitted
        from_: The template's, else the brand's, when omitted
        locale: The language of the email, where the template has it or one that it is a kind of (`de` for `de-AT`); the
        contact's `locale` when omitted
        cc: Who gets a copy and is named in it
        bcc: Who gets a copy that nobody sees
        reply_to: Where answers go; the brand's, else the sender, when omitted
        headers: `X-…`, `References` and `In-Reply-To`, of transactional emails `List-…` too, at most 20; none that an email
        service takes for an order, like `X-SMTPAPI` or `X-SES-…`. Texts as they are, no Liquid.
        topic: The key of the topic that a marketing email is of: it goes to those alone who have it on, and its unsubscribe
        link leaves the topic
        tags: Your own words for the email: in the send log, a filter of it, and in webhook events
        metadata: Your own texts by name, at most 20: in the send log, a filter of it, and in webhook events. The email does not
        show them
        attachments: Files, at most 20; in base64 and with html and text at most 25 MB
        send_at: When it is to go, at most 90 days ahead; the answer is 202 then, and what keeps it from going shows in its row
        ignore_window: Goes at once, whatever the project's `sendWindow` says; one with `sendAt` does not wait for it either
        idempotency_key: One of yours, like `invoice-2207-paid`; made for each call when omitted
        """

    @overload
    async def send(
        self,
        *,
        html: str,
        to: m.MailboxText,
        type: m.SendType,
        subject: str,
        template: None | Omit = OMIT,
        text: str | None | Omit = OMIT,
        content: None | Omit = OMIT,
        contact_id: str | None | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
        **fields: Unpack[a.SendFields],
    ) -> m.SendAnswer | m.SendAccepted: ...

    @overload
    async def send(
        self,
        *,
        text: str,
        to: m.MailboxText,
        type: m.SendType,
        subject: str,
        template: None | Omit = OMIT,
        html: str | None | Omit = OMIT,
        content: None | Omit = OMIT,
        contact_id: str | None | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
        **fields: Unpack[a.SendFields],
    ) -> m.SendAnswer | m.SendAccepted: ...

    @overload
    async def send(
        self,
        *,
        content: m.TemplateContent,
        to: m.MailboxText,
        type: m.SendType,
        subject: str,
        template: None | Omit = OMIT,
        html: None | Omit = OMIT,
        text: None | Omit = OMIT,
        contact_id: str | None | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
        **fields: Unpack[a.SendFields],
    ) -> m.SendAnswer | m.SendAccepted: ...

    @overload
    async def send(
        self,
        *,
        template: str,
        contact_id: str,
        html: None | Omit = OMIT,
        text: None | Omit = OMIT,
        content: None | Omit = OMIT,
        to: m.MailboxText | None | Omit = OMIT,
        type: m.SendType | None | Omit = OMIT,
        subject: str | None | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
        **fields: Unpack[a.SendFields],
    ) -> m.SendAnswer | m.SendAccepted: ...

    @overload
    async def send(
        self,
        *,
        html: str,
        contact_id: str,
        type: m.SendType,
        subject: str,
        template: None | Omit = OMIT,
        text: str | None | Omit = OMIT,
        content: None | Omit = OMIT,
        to: m.MailboxText | None | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
        **fields: Unpack[a.SendFields],
    ) -> m.SendAnswer | m.SendAccepted: ...

    @overload
    async def send(
        self,
        *,
        text: str,
        contact_id: str,
        type: m.SendType,
        subject: str,
        template: None | Omit = OMIT,
        html: str | None | Omit = OMIT,
        content: None | Omit = OMIT,
        to: m.MailboxText | None | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
        **fields: Unpack[a.SendFields],
    ) -> m.SendAnswer | m.SendAccepted: ...

    @overload
    async def send(
        self,
        *,
        content: m.TemplateContent,
        contact_id: str,
        type: m.SendType,
        subject: str,
        template: None | Omit = OMIT,
        html: None | Omit = OMIT,
        text: None | Omit = OMIT,
        to: m.MailboxText | None | Omit = OMIT,
        idempotency_key: str | Omit = OMIT,
        **fields: Unpack[a.SendFields],
    ) -> m.SendAnswer | m.SendAccepted: ...

    @overload
    async def send(self, body: m.SendInput, /, *, idempotency_key: str | Omit = OMIT) -> m.SendAnswer | m.SendAccepted: ...

    async def send(self, *body: m.SendInput, **fields: Any) -> m.SendAnswer | m.SendAccepted:
        answer: m.SendAnswer | m.SendAccepted = await self._caller.json(O["send"], (), fields, *body)
        return answer

    @overload
    async def send_batch(self, *, mails: List[m.SendInput], idempotency_key: str | Omit = OMIT) -> m.SendBatchAnswer:
        """Send many emails.

        As so many calls of POST /send, in one: answers when each email has its result, in the order of `mails`, and 200
        whatever they are. An email that cannot be sent fails alone. With a key a batch that was cut off, or had emails which
        may go later, can be sent again: what has gone stays so, and the rest follows. What could not begin within 10 s is
        `unavailable` and may be sent again. Counts as one request for the rate limit.

        Scope: `send`

        POST /send/batch

        mails: Each a body of POST /send
        idempotency_key: One of yours, like `invoice-2207-paid`; made for each call when omitted
        """

    @overload
    async def send_batch(self, body: m.SendBatchInput, /, *, idempotency_key: str | Omit = OMIT) -> m.SendBatchAnswer: ...

    async def send_batch(self, *body: m.SendBatchInput, **fields: Any) -> m.SendBatchAnswer:
        answer: m.SendBatchAnswer = await self._caller.json(O["sendBatch"], (), fields, *body)
        return answer

    async def me(self) -> m.MeAnswer:
        """Read the key's project, brands and scopes.

        Any key will do.

        GET /me
        """
        answer: m.MeAnswer = await self._caller.json(O["me"], (), {})
        return answer
