import { expect, it } from 'vitest'
import { browserName } from './browser-name.ts'

it('a browser gets its usual name, although its User-Agent names all the others, too', () => {
  const said: [string, string][] = [
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0 Safari/537.36 Edg/131.0',
      'Edge on Windows',
    ],
    [
      'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/131.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1',
      'Safari on iPhone',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:133.0) Gecko/20100101 Firefox/133.0',
      'Firefox on Mac',
    ],
    ['curl/8.5.0', 'curl'],
    ['<script>', 'Unknown'],
  ]
  for (const [agent, words] of said) expect(browserName(agent)).toBe(words)
  expect(browserName(undefined)).toBe('Unknown')
})
