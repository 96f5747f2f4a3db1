import { randomUUID } from 'node:crypto';

/** What providers send, as their public documentation shows it, about a message of ours. */

type Json = Record<string, unknown>;

/** resend.com/docs/webhooks: one body for each type. */
export function resendSample(type: string, emailId: string): Json {
  const data: Json = {
    broadcast_id: '8b146471-e88e-4322-86af-016cd36fd216',
    created_at: '2024-11-22T23:41:11.894719+00:00',
    email_id: emailId,
    from: 'Acme <onboarding@resend.dev>',
    to: ['delivered@resend.dev'],
    subject: 'Sending this example',
  };
  const parts: Record<string, Json> = {
    'email.bounced': {
      bounce: {
        message: "The recipient's email address is on the suppression list because it has a recent history of producing hard bounces.",
        subType: 'Suppressed',
        type: 'Permanent',
      },
    },
    'email.clicked': {
      click: {
        ipAddress: '122.115.53.11',
        link: 'https://resend.com',
        timestamp: '2024-11-24T05:00:57.163Z',
        userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
      },
    },
  };
  return { type, created_at: '2024-11-22T23:41:12.126Z', data: { ...data, ...parts[type] } };
}

/** twilio.com/docs/sendgrid, Event Webhook Reference: one batch with each kind of event. */
export function sendgridSamples(messageId: string): Json[] {
  const common = { email: 'example@test.com', timestamp: 1513299569, 'smtp-id': `<${messageId}>`, category: 'cat facts' };
  const marks = (event: string) => ({
    event,
    sg_event_id: `${event}-${messageId}`,
    sg_message_id: '14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0',
  });
  const useragent = 'Mozilla/4.0 (compatible; MSIE 6.1; Windows XP; .NET CLR 1.1.4322; .NET CLR 2.0.50727)';
  return [
    { ...common, ...marks('processed') },
    { ...common, ...marks('deferred'), response: '400 try again later', attempt: '5' },
    { ...common, ...marks('delivered'), response: '250 OK' },
    { ...common, ...marks('open'), useragent, ip: '255.255.255.255' },
    { ...common, ...marks('click'), useragent, ip: '255.255.255.255', url: 'http://www.sendgrid.com/' },
    { ...common, ...marks('bounce'), reason: '500 unknown recipient', status: '5.0.0', type: 'bounce' },
    { ...common, ...marks('dropped'), reason: 'Bounced Address', status: '5.0.0' },
    { ...common, ...marks('spamreport') },
    { ...common, ...marks('unsubscribe') },
    { ...common, ...marks('group_unsubscribe'), useragent, ip: '255.255.255.255', url: 'http://www.sendgrid.com/', asm_group_id: 10 },
  ];
}

/** postmarkapp.com/developer/webhooks: one body for each record type. */
export function postmarkSample(recordType: string, messageId: string): Json {
  const metadata = { a_key: 'a_value', b_key: 'b_value' };
  const bounced = {
    MessageStream: 'outbound',
    ID: 42,
    Tag: 'Test',
    MessageID: messageId,
    Metadata: metadata,
    ServerID: 1234,
    Email: 'john@example.com',
    From: 'sender@example.com',
    BouncedAt: '2019-11-05T16:33:54.9070259Z',
    DumpAvailable: true,
    Inactive: true,
    Subject: 'Test subject',
  };
  const reader = {
    MessageStream: 'outbound',
    Metadata: metadata,
    Recipient: 'john@example.com',
    MessageID: messageId,
    ReceivedAt: '2019-11-05T16:33:54.9070259Z',
    Platform: 'WebMail',
    Tag: 'welcome-email',
    UserAgent: 'Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/537.36 (KHTML, like Gecko)',
    Client: { Name: 'Chrome 35.0.1916.153', Company: 'Google', Family: 'Chrome' },
  };
  const samples: Record<string, Json> = {
    Delivery: {
      MessageID: messageId,
      Recipient: 'john@example.com',
      DeliveredAt: '2019-11-05T16:33:54.9070259Z',
      Details: 'Test delivery webhook details',
      Tag: 'welcome-email',
      ServerID: 23,
      Metadata: metadata,
      MessageStream: 'outbound',
    },
    Bounce: {
      ...bounced,
      Type: 'HardBounce',
      TypeCode: 1,
      Name: 'Hard bounce',
      Description: 'The server was unable to deliver your message (ex: unknown user, mailbox not found).',
      Details: 'Test bounce details',
      CanActivate: true,
      Content: '<Full dump of bounce>',
    },
    SpamComplaint: {
      ...bounced,
      Type: 'SpamComplaint',
      TypeCode: 512,
      Name: 'Spam complaint',
      Description: '',
      Details: 'Test spam complaint details',
      CanActivate: false,
      Content: '<Abuse report dump>',
    },
    Open: { ...reader, FirstOpen: true },
    Click: { ...reader, ClickLocation: 'HTML', OriginalLink: 'https://example.com' },
    SubscriptionChange: { MessageID: messageId, ServerID: 123456, ChangedAt: '2020-02-01T10:53:34.416071Z', SuppressSending: true },
  };
  return { RecordType: recordType, ...samples[recordType] };
}

/** documentation.mailgun.com, webhook payloads: the part of a body that is the event, of which each has marks of its own. */
export function mailgunSample(event: string, messageId: string, variables: Json = {}, part: Json = {}): Json {
  const parts: Record<string, Json> = {
    delivered: {
      'delivery-status': {
        ...{ tls: true, 'mx-host': 'smtp-in.example.com', code: 250, description: '', 'session-seconds': 0.4, utf8: true, 'attempt-no': 1 },
        ...{ message: 'OK', 'certificate-verified': true },
      },
    },
    failed: {
      severity: 'permanent',
      reason: 'suppress-bounce',
      'delivery-status': {
        ...{ 'attempt-no': 1, message: '', code: 605, 'enhanced-code': '', 'session-seconds': 0 },
        description: 'Not delivering to previously bounced address',
      },
    },
    opened: { geolocation: { country: 'US', region: 'CA', city: 'San Francisco' }, ip: '50.56.129.169' },
    clicked: { url: 'http://mailgun.com', ip: '50.56.129.169' },
  };
  return {
    'event-data': {
      ...{ id: randomUUID(), timestamp: 1521472262.908181, 'log-level': 'info', event, tags: ['my_tag_1'], campaigns: [] },
      flags: { 'is-routed': false, 'is-authenticated': true, 'is-system-test': false, 'is-test-mode': false },
      envelope: { transport: 'smtp', sender: 'bob@mg.example.com', targets: 'alice@example.com' },
      message: {
        headers: {
          to: 'Alice <alice@example.com>',
          'message-id': messageId.replace(/^<|>$/g, ''),
          from: 'Bob <bob@mg.example.com>',
          subject: 'Hello',
        },
        attachments: [],
        size: 111,
      },
      recipient: 'alice@example.com',
      'recipient-domain': 'example.com',
      'user-variables': variables,
      ...parts[event],
      ...part,
    },
  };
}

const SES_MAIL = {
  timestamp: '2016-01-27T14:59:38.237Z',
  source: 'john@example.com',
  sourceArn: 'arn:aws:ses:us-east-1:888888888888:identity/example.com',
  sourceIp: '127.0.3.0',
  sendingAccountId: '123456789012',
  callerIdentity: 'IAM_user_or_role_name',
  destination: ['jane@example.com'],
  headersTruncated: false,
};

/** docs.aws.amazon.com/ses: event publishing (eventType) and, for the first three, notifications (notificationType). */
export function sesSample(type: string, messageId: string, kind: 'eventType' | 'notificationType' = 'eventType'): Json {
  const parts: Record<string, Json> = {
    Bounce: {
      bounce: {
        bounceType: 'Permanent',
        reportingMTA: 'dns; email.example.com',
        bouncedRecipients: [
          {
            emailAddress: 'jane@example.com',
            status: '5.1.1',
            action: 'failed',
            diagnosticCode: 'smtp; 550 5.1.1 <jane@example.com>... User',
          },
        ],
        bounceSubType: 'General',
        timestamp: '2016-01-27T14:59:38.237Z',
        feedbackId: '00000138111222aa-33322211-cccc-cccc-cccc-ddddaaaa068a-000000',
        remoteMtaIp: '127.0.2.0',
      },
    },
    Complaint: {
      complaint: {
        userAgent: 'AnyCompany Feedback Loop (V0.01)',
        complainedRecipients: [{ emailAddress: 'richard@example.com' }],
        complaintFeedbackType: 'abuse',
        arrivalDate: '2016-01-27T14:59:38.237Z',
        timestamp: '2016-01-27T14:59:38.237Z',
        feedbackId: '000001378603177f-18c07c78-fa81-4a58-9dd1-fedc3cb8f49a-000000',
      },
    },
    Delivery: {
      delivery: {
        timestamp: '2016-01-27T14:59:38.237Z',
        recipients: ['jane@example.com'],
        processingTimeMillis: 546,
        reportingMTA: 'a8-70.smtp-out.amazonses.com',
        smtpResponse: '250 ok:  Message 64111812 accepted',
        remoteMtaIp: '127.0.2.0',
      },
    },
    Send: { send: {} },
    DeliveryDelay: {
      deliveryDelay: {
        timestamp: '2020-06-16T00:25:40.095Z',
        delayType: 'TransientCommunicationFailure',
        expirationTime: '2020-06-16T00:25:40.914Z',
        delayedRecipients: [
          { emailAddress: 'recipient@example.com', status: '4.4.1', diagnosticCode: 'smtp; 421 4.4.1 Unable to connect to remote host' },
        ],
      },
    },
    Open: {
      open: {
        ipAddress: '192.0.2.1',
        timestamp: '2017-08-09T22:00:19.652Z',
        userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 10_3_3 like Mac OS X)',
      },
    },
    Click: {
      click: {
        ipAddress: '192.0.2.1',
        link: 'http://docs.aws.amazon.com/ses/latest/DeveloperGuide/send-email-smtp.html',
        linkTags: { samplekey0: ['samplevalue0'] },
        timestamp: '2017-08-09T23:51:25.570Z',
        userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)',
      },
    },
    Reject: { reject: { reason: 'Bad content' } },
  };
  return { [kind]: type, ...parts[type], mail: { ...SES_MAIL, messageId } };
}
