type Range = readonly [first: bigint, bits: number]

// These lead to the machine itself, its network, or its provider.
const privateRanges: readonly Range[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
].map((range) => {
  const [address, bits] = range.split('/') as [string, string]
  return [readIpv4(address)!, Number(bits)]
})

/** For IPv6, only globally assigned addresses are public; an address that contains an IPv4 address is judged by that. */
export function isPrivateAddress(address: string): boolean {
  const four = readIpv4(address)
  if (four !== null) return isPrivateIpv4(four)
  const six = readIpv6(address)
  if (six === null) return true
  const top = six >> 112n
  if (six >> 32n === 0xffffn || six >> 32n === 0x0064_ff9b_0000_0000_0000_0000n)
    return isPrivateIpv4(six & 0xffff_ffffn)
  if (top === 0x2002n) return isPrivateIpv4((six >> 80n) & 0xffff_ffffn)
  // Teredo tunnels, which lead through a third-party relay, and addresses reserved for documentation.
  if (six >> 96n === 0x2001_0000n || six >> 96n === 0x2001_0db8n) return true
  return top >> 13n !== 1n
}

/**
 * Whether an address is one of `own` (this machine's) or an IPv6 address in the same /64 network. Such addresses may be public, but the
 * servers there may be meant for neighbours only.
 */
export function isNearAddress(address: string, own: readonly string[]): boolean {
  const network = networkOf(address)
  return network === null || own.some((one) => networkOf(one) === network)
}

function networkOf(address: string): string | null {
  const six = readIpv6(address)
  const four = readIpv4(address) ?? (six !== null && six >> 32n === 0xffffn ? six & 0xffff_ffffn : null)
  if (four !== null) return `4 ${four}`
  return six === null ? null : `6 ${six >> 64n}`
}

const isPrivateIpv4 = (address: bigint) =>
  privateRanges.some(([first, bits]) => address >> BigInt(32 - bits) === first >> BigInt(32 - bits))

function readIpv4(text: string): bigint | null {
  if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) return null
  const bytes = text.split('.').map(Number)
  return bytes.every((byte) => byte < 256) ? bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n) : null
}

function readIpv6(text: string): bigint | null {
  // An address with a zone (fe80::1%eth0) cannot be parsed here and so counts as private.
  if (!URL.canParse(`http://[${text}]/`)) return null
  const [before = '', after] = new URL(`http://[${text}]/`).hostname.slice(1, -1).split('::')
  const groups = (side: string) => (side === '' ? [] : side.split(':'))
  const [head, tail] = [groups(before), groups(after ?? '')]
  const middle = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...middle, ...tail].reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n)
}
