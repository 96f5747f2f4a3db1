import PostalMime from 'postal-mime';
import { afterEach, expect, test } from 'vitest';
import { ConfigError } from '../../../platform/config-error.ts';
import { createMailProvider } from '../../../platform/mail/create-provider.ts';
import type { MailProvider } from '../../../platform/mail/provider.ts';
import { type SignedRequest, sha256, signedHeaders } from '../../../platform/sigv4.ts';
import { type HttpDouble, type HttpReaction, httpDouble } from './http-doubles.ts';
import { finishedMailTo } from './mails.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

async function ses(reaction: HttpReaction, query = ''): Promise<{ api: HttpDouble; provider: MailProvider }> {
  const api = await httpDouble(() => reaction);
  const url = new URL(`ses://eu-west-1?baseUrl=${api.url}${query}`);
  const provider = createMailProvider(url, {
    maxConnections: 2,
    timeoutSeconds: 2,
    awsCredentials: { ...credentials, sessionToken: 'token' },
  });
  open.push(api, provider);
  return { api, provider };
}

test.each([
  ['GET', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  ['POST', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
] as const)('the signature of a plain %s is that of the test suite that AWS publishes', (method, signature) => {
  const request: SignedRequest = {
    method,
    url: new URL('https://example.amazonaws.com/'),
    headers: {},
    bodySha256: sha256(''),
    region: 'us-east-1',
    service: 'service',
  };
  const headers = signedHeaders(request, credentials, new Date('2015-08-30T12:36:00Z'));
  expect(headers.authorization).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  );
});

test('a mail is posted as a whole message, signed for the region', async () => {
  const { api, provider } = await ses({ status: 200, body: '{"MessageId":"1"}' }, '&configurationSet=events');
  await provider.send(finishedMailTo('bob@bücher.example', { subject: 'Grüße' }), 'key');
  const [{ path, headers, body }] = api.requests as [HttpDouble['requests'][number]];
  expect(path).toBe('/v2/email/outbound-emails');
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'x-amz-security-token': 'token',
    'x-amz-date': expect.stringMatching(/^\d{8}T\d{6}Z$/),
  });
  expect(headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/ses\/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
  );
  const sent = JSON.parse(body);
  expect(sent).toMatchObject({
    FromEmailAddress: 'ann@example.com',
    Destination: { ToAddresses: ['bob@xn--bcher-kva.example'] },
    ConfigurationSetName: 'events',
  });
  expect(await PostalMime.parse(Buffer.from(sent.Content.Raw.Data, 'base64'))).toMatchObject({ subject: 'Grüße' });
});

test.each<[number, string, string]>([
  [400, 'MessageRejected', 'rejected'],
  [400, 'MailFromDomainNotVerifiedException', 'rejected'],
  [400, 'BadRequestException', 'rejected'],
  [404, 'NotFoundException', 'rejected'],
  [400, 'AccountSuspendedException', 'later'],
  [400, 'SendingPausedException', 'later'],
  [400, 'LimitExceededException', 'later'],
  [400, 'ThrottlingException', 'later'],
  [429, 'TooManyRequestsException', 'later'],
  [403, 'InvalidClientTokenId', 'later'],
  [503, 'ServiceUnavailable', 'later'],
  [504, 'GatewayTimeout', 'unknown'],
])('%i %s is %s', async (status, name, outcome) => {
  const { api, provider } = await ses({ status, headers: { 'x-amzn-errortype': name }, body: '{"message":"why"}' });
  expect(await provider.send(finishedMailTo('bob@example.org'), 'key')).toMatchObject({ outcome, message: `${name}: why` });
  expect(api.requests).toHaveLength(1);
});

test('an address that the service cannot take is not submitted', async () => {
  const { api, provider } = await ses({ status: 200, body: '{}' });
  expect((await provider.send(finishedMailTo('jörg@example.org'), 'key')).outcome).toBe('rejected');
  expect(api.requests).toEqual([]);
});

test.each(['ses://', 'ses://nowhere', 'ses://eu-west-1'])('%s without credentials or a region does not start', (url) => {
  expect(() => createMailProvider(new URL(url), { maxConnections: 1 })).toThrow(ConfigError);
});
