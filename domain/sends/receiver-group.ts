/**
 * Who runs the mailboxes of which domains: one entry a receiver, named after its best-known domain, with domains that are its own. A domain counts
 * with all below it, so that `onmicrosoft.com` has those of every tenant. Add to it freely: mails count by what it says when they go.
 */
export const RECEIVERS = {
  'gmail.com': ['googlemail.com', 'google.com'],
  'outlook.com': [
    ...under(
      'outlook',
      'at be cl cz de dk es fr hu ie in it jp kr lv my ph pt sa sg sk com.ar com.au com.br com.gr com.tr com.vn co.id co.il co.th',
    ),
    ...under(
      'hotmail',
      'com be ca ch cl cz de dk es fi fr gr hu it nl no se sg com.ar com.au com.br com.tr co.in co.jp co.kr co.nz co.th co.uk',
    ),
    ...under('live', 'com at be ca ch cl cn de dk fi fr hk ie in it jp nl no ru se com.ar com.au com.mx com.pt com.sg co.uk co.za'),
    ...['msn.com', 'windowslive.com', 'passport.com', 'onmicrosoft.com'],
  ],
  'yahoo.com': [
    ...under(
      'yahoo',
      'at be bg ca ch cl cz de dk es fi fr gr hr hu ie in it nl no pl pt ro se com.ar com.au com.br com.co com.hk com.mx com.my com.pe',
    ),
    ...under('yahoo', 'com.ph com.sg com.tr com.tw com.vn co.id co.il co.in co.kr co.nz co.th co.uk co.za'),
    ...[
      'ymail.com',
      'rocketmail.com',
      'myyahoo.com',
      'aol.com',
      'aol.de',
      'aol.fr',
      'aol.it',
      'aol.co.uk',
      'aim.com',
      'verizon.net',
      'netscape.net',
    ],
  ],
  'icloud.com': ['me.com', 'mac.com'],
  'gmx.net': [
    'gmx.de',
    'gmx.at',
    'gmx.ch',
    'gmx.com',
    'gmx.eu',
    'gmx.fr',
    'gmx.info',
    'gmx.org',
    'gmx.biz',
    'gmx.co.uk',
    'mail.com',
    'email.com',
  ],
  'web.de': [],
  't-online.de': ['magenta.de'],
  'freenet.de': [],
  'proton.me': ['protonmail.com', 'protonmail.ch', 'pm.me'],
  'fastmail.com': ['fastmail.fm', 'fastmail.net', 'messagingengine.com'],
  'zoho.com': ['zoho.eu', 'zoho.in', 'zohomail.com', 'zohomail.eu', 'zohomail.in'],
  'orange.fr': ['wanadoo.fr'],
  'free.fr': [],
  'laposte.net': [],
  'sfr.fr': ['neuf.fr', 'cegetel.net', 'club-internet.fr'],
  'libero.it': ['inwind.it', 'iol.it', 'blu.it', 'giallo.it'],
  'virgilio.it': ['alice.it', 'tim.it', 'tin.it'],
  'btinternet.com': ['btopenworld.com', 'talk21.com'],
  'comcast.net': ['xfinity.com'],
  'att.net': ['sbcglobal.net', 'bellsouth.net', 'pacbell.net', 'ameritech.net'],
  'mail.ru': ['bk.ru', 'inbox.ru', 'list.ru', 'internet.ru'],
  'yandex.ru': ['ya.ru', 'yandex.com', 'yandex.by', 'yandex.kz', 'yandex.ua'],
  'qq.com': ['foxmail.com'],
  '163.com': ['126.com', 'yeah.net'],
  'naver.com': [],
  'docomo.ne.jp': [],
  'seznam.cz': ['email.cz', 'post.cz'],
  'wp.pl': ['o2.pl', 'tlen.pl'],
  'onet.pl': ['op.pl', 'vp.pl', 'onet.eu', 'poczta.onet.pl'],
  'uol.com.br': ['bol.com.br'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The receivers that have an entry. */
export const KNOWN_RECEIVERS: ReadonlySet<string> = new Set(Object.keys(RECEIVERS));

const RECEIVER_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(RECEIVERS).flatMap(([receiver, domains]) => [receiver, ...domains].map((domain): [string, string] => [domain, receiver])),
);

/**
 * Who gets mail for a domain, in the form of a normalized address, or for a mail server by its name: a receiver that has an entry, by the domain or the
 * nearest one above it; any other domain is a receiver by itself.
 */
export function receiverGroup(domain: string): string {
  for (let from = 0; ; ) {
    const receiver = RECEIVER_OF.get(from === 0 ? domain : domain.slice(from));
    if (receiver !== undefined) return receiver;
    const dot = domain.indexOf('.', from);
    if (dot < 0) return domain;
    from = dot + 1;
  }
}

/** The name under each of these suffixes. */
function under(name: string, suffixes: string): string[] {
  return suffixes.split(' ').map((suffix) => `${name}.${suffix}`);
}
