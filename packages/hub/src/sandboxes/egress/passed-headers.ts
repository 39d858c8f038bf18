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

/** The headers to forward, in order: all of `rawHeaders` except those for this connection only. */
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
