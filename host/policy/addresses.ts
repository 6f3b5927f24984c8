import { BlockList, isIP } from 'node:net'

/** Why an address is not one of the public internet. */
export type AddressKind = 'loopback' | 'private' | 'link-local' | 'metadata' | 'multicast' | 'reserved'

// IANA's special-purpose registries for IPv4 and IPv6. The first list that holds an address names it.
const IPV4: readonly (readonly [AddressKind, readonly string[]])[] = [
  // AWS, GCP, Azure and most others; Alibaba; Oracle; Azure's wire server, which stands in public space.
  [
    'metadata',
    ['169.254.169.254/32', '169.254.170.2/32', '100.100.100.200/32', '192.0.0.192/32', '168.63.129.16/32'],
  ],
  ['loopback', ['127.0.0.0/8', '0.0.0.0/8']], // 0.0.0.0 connects to this machine
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10']],
  ['link-local', ['169.254.0.0/16']],
  ['multicast', ['224.0.0.0/4']],
  [
    'reserved',
    [
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.88.99.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '240.0.0.0/4',
    ],
  ],
]

const IPV6: readonly (readonly [AddressKind, readonly string[]])[] = [
  ['metadata', ['fd00:ec2::254/128', 'fd20:ce::254/128']],
  ['loopback', ['::/128', '::1/128']],
  ['private', ['fc00::/7', 'fec0::/10']],
  ['link-local', ['fe80::/10']],
  ['multicast', ['ff00::/8']],
  // Addresses with an IPv4 address inside (compatible, mapped, NAT64, Teredo, 6to4) are refused whatever that is:
  // no service publishes one, and each is a way round the list above. Then documentation and segment routing.
  [
    'reserved',
    [
      '::/96',
      '::ffff:0:0/96',
      '::ffff:0:0:0/96',
      '64:ff9b::/96',
      '64:ff9b:1::/48',
      '100::/64',
      '2001::/23',
      '2001:db8::/32',
      '2002::/16',
      '3fff::/20',
      '5f00::/16',
    ],
  ],
]

// BlockList takes an IPv4 address for its mapped IPv6 spelling, so each family has lists of its own.
const ipv4Lists = IPV4.map(([kind, subnets]) => [kind, blockList(subnets, 'ipv4')] as const)
const ipv6Lists = IPV6.map(([kind, subnets]) => [kind, blockList(subnets, 'ipv6')] as const)
const globalUnicast = blockList(['2000::/3'], 'ipv6')

/** Why this address may not be connected to, or undefined where it is a public one. No address is reserved too. */
export function forbiddenAddress(address: string): AddressKind | undefined {
  const [plain = ''] = address.split('%', 1) // fe80::1%eth0
  const family = isIP(plain)
  if (family === 0) return 'reserved'
  const type = family === 4 ? 'ipv4' : 'ipv6'
  for (const [kind, list] of family === 4 ? ipv4Lists : ipv6Lists) if (list.check(plain, type)) return kind
  if (family === 6 && !globalUnicast.check(plain, 'ipv6')) return 'reserved'
  return undefined
}

/**
 * Why the host of a parsed URL may not be reached, as far as its spelling tells: an address, or a name that means
 * this machine (RFC 6761, 6.3). The WHATWG parser has made one spelling of decimal, octal, hexadecimal and short
 * addresses. What other names resolve to is for `forbiddenAddress` to judge when the socket is opened.
 */
export function forbiddenHost(hostname: string): AddressKind | undefined {
  if (hostname === '') return 'reserved'
  if (hostname.startsWith('[')) return forbiddenAddress(hostname.slice(1, -1))
  const name = hostname.replace(/\.+$/, '')
  if (isIP(name) === 4) return forbiddenAddress(name)
  if (name === 'localhost' || name.endsWith('.localhost')) return 'loopback'
  return undefined
}

/** Whether the host of a parsed URL is this machine by its spelling. */
export function isLoopbackHost(hostname: string): boolean {
  return forbiddenHost(hostname) === 'loopback'
}

function blockList(subnets: readonly string[], type: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [net = '', prefix] = subnet.split('/')
    list.addSubnet(net, Number(prefix), type)
  }
  return list
}
