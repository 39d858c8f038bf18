// The first match wins: nearly all browsers name others, too.
const browsers: readonly [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]

const systems: readonly [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** A short name for a browser, from its user agent: "Safari on iPhone". */
export function browserName(userAgent: string | undefined): string {
  const said = userAgent ?? ''
  const name = ([pattern]: readonly [RegExp, string]) => pattern.test(said)
  const [browser, system] = [browsers.find(name)?.[1], systems.find(name)?.[1]]
  if (browser && system) return `${browser} on ${system}`
  const first = /^[\w.-]{1,30}/.exec(said)?.[0]
  return browser ?? system ?? first ?? 'Unknown'
}
