const ofOneLine = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** The headers, as `rawHeaders` has them, that are not about this one connection, in their order. */
export function passedHeaders(raw: readonly string[], without: readonly string[] = []): string[] {
  const pairs: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at]!, raw[at + 1]!])
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(','))
    .map((name) => name.trim().toLowerCase())
  const dropped = new Set([...ofOneLine, ...named, ...without])
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat()
}
