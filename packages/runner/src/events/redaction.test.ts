import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RedactedText, Redaction } from './redaction.ts'

const value = 'p4ss/w+rd "quoted"&\u00e9'
const redaction = new Redaction([{ name: 'KEY', value }])

describe('a text', () => {
  it.each([
    ['as it is', value],
    ['escaped for JSON', JSON.stringify(value).slice(1, -1)],
    ['escaped for JSON in JSON', JSON.stringify(JSON.stringify(value)).slice(3, -3)],
    ['in an address', encodeURIComponent(value)],
    ['in an address, in small letters', encodeURIComponent(value).toLowerCase()],
    ['in a form', new URLSearchParams({ x: value }).toString().slice(2)],
    ['in base64', Buffer.from(value).toString('base64')],
    ['in base64 for addresses', Buffer.from(value).toString('base64url')],
    ['in hex', Buffer.from(value).toString('hex')],
  ])('W41 has a mark where the secret was, %s', (_, form) => {
    expect(redaction.text(`before ${form} after ${form}`)).toBe('before [secret KEY] after [secret KEY]')
  })

  it.each(['a', 'ab', 'abc'])('W41 has none in base64 that begins with "%s"', (before) => {
    const secret = 'only-ascii-secret'
    const text = Buffer.from(`${before}${secret} and more`).toString('base64')
    const clean = new Redaction([{ name: 'KEY', value: secret }]).text(text)
    expect(clean).toContain('[secret KEY]')
    expect(Buffer.from(clean.replace('[secret KEY]', ''), 'base64').toString()).not.toContain('ascii')
  })

  it('W41 has none of a key with several lines, together or one by one, and none that was wrapped', () => {
    const [first, second] = ['a1'.repeat(40), 'b2'.repeat(40)]
    const key = new Redaction([
      { name: 'KEY', value: `-----BEGIN-----\n${first}\n${second}\n-----END-----\n` },
    ])
    expect(key.text(`-----BEGIN-----\r\n${first}\r\n${second}\r\n-----END-----`)).toBe('[secret KEY]')
    expect(key.text(`2: ${second}\n-----BEGIN-----`)).toBe('2: [secret KEY]\n-----BEGIN-----')
    const one = new Redaction([{ name: 'KEY', value: first }])
    const wrapped = Buffer.from(`${first}\n`)
      .toString('base64')
      .replace(/.{76}(?=.)/g, '$&\n')
    expect(one.text(wrapped)).toMatch(/^\[secret KEY\].{0,4}$/)
  })

  it.each([
    ['in JSON', JSON.stringify({ type: 'service_account', private_key: 'KEY' }, null, 2)],
    ['with escaped ends of lines, as files of variables have it', 'KEY'],
  ])('W41 has no line of a key that is kept %s, also where that is taken apart', (_, kept) => {
    const lines = [
      '-----BEGIN PRIVATE KEY-----',
      'a1'.repeat(32),
      'b2'.repeat(32),
      '-----END PRIVATE KEY-----',
    ]
    const known = new Redaction([{ name: 'KEY', value: kept.replace('KEY', lines.join('\\n')) }])
    const clean = known.text(lines.join('\n'))
    expect(clean).not.toMatch(/a1a1|b2b2/)
    expect(known.text('"type": "service_account"')).toBe('"type": "service_account"')
  })

  it('is the same where there is no secret in it, and values of less than 6 characters are none', () => {
    const short = new Redaction([{ name: 'PIN', value: '12345' }])
    expect([short.isEmpty, short.text('12345')]).toEqual([true, '12345'])
  })

  it('W41 names the longer of two that begin alike, and shows no value in the mark', () => {
    const two = new Redaction([
      { name: 'A', value: 'abcdef' },
      { name: 'B', value: 'abcdefgh' },
      { name: 'C', value: 'secret' },
    ])
    expect(two.text('abcdef abcdefgh')).not.toMatch(/abc|secret|gh/)
    expect(new Redaction([{ name: 'C', value: 'secret' }]).text('a secret')).toBe('a [hidden]')
  })

  it('W41 that was cut in the middle of a secret does not end with most of it', () => {
    expect(redaction.value({ input: `curl ${value.slice(0, -1)}` })).toEqual({ input: 'curl [secret KEY]' })
    expect(redaction.value({ input: 'a p4' })).toEqual({ input: 'a p4' })
  })
})

// Were it read to its end for each of them, this would take minutes, and the runner would do nothing else meanwhile.
it('W41 a text that is full of a secret is no more work than another one', () => {
  expect(redaction.text(`${value}\n`.repeat(100_000))).toBe('[secret KEY]\n'.repeat(100_000))
})

describe('a value', () => {
  it('W41 has a mark at any depth, in names too, and is the very same where there is nothing', () => {
    const deep = { a: [{ [value]: `x ${value}` }, 1, null] }
    expect(redaction.value(deep)).toEqual({ a: [{ '[secret KEY]': 'x [secret KEY]' }, 1, null] })
    const same = { a: [{ b: 'c' }], d: 1 }
    expect(redaction.value(same)).toBe(same)
  })
})

const wrapped = (text: string, width: number, end: string) =>
  text.replace(new RegExp(`.{${width}}(?=.)`, 'g'), `$&${end}`)
const bytesOf = (text: string) => Buffer.from(text).toString('hex').match(/../g)!
const words = (text: string) => [...Buffer.from(text).swap16().toString('hex').matchAll(/.{4}/g)].join(' ')
const long = 'sk-live_9f?>~8e7d6c5b4a3z2y1x0+/é~~~'
const spaced: [string, string][] = [
  ...[1, 4, 10, 19, 64].flatMap((width) =>
    ['\n', '\r\n', ' ', '\\n', '\\r\\n', '\n    ', '",\n  "'].map((end): [string, string] => [
      `in base64 with ${JSON.stringify(end)} after each ${width}`,
      wrapped(Buffer.from(long).toString('base64'), width, end),
    ]),
  ),
  ...['a', 'ab', 'abc'].map((before): [string, string] => [
    `in wrapped base64 for addresses that begins with "${before}"`,
    wrapped(Buffer.from(`${before}${long} and more`).toString('base64url'), 10, '\n'),
  ]),
  ['as od -An -tx1 prints it', ` ${wrapped(bytesOf(long).join(' '), 48, '\n ')}\n`],
  ['as od -An -tx2 prints it', words(long.slice(0, 30))],
  ['as xxd -p prints it', wrapped(bytesOf(long).join(''), 30, '\n')],
  [
    'as xxd -i prints it',
    bytesOf(long)
      .map((byte) => `0x${byte}`)
      .join(', '),
  ],
  [
    'as a string with escapes',
    bytesOf(long)
      .map((byte) => `\\x${byte.toUpperCase()}`)
      .join(''),
  ],
  [
    'as JSON with escapes',
    bytesOf(long)
      .map((byte) => `\\u00${byte}`)
      .join(''),
  ],
  ['in hex with colons', bytesOf(long).join(':').toUpperCase()],
  ['in hex with escaped ends of lines', bytesOf(long).join('\\n')],
  [
    'escaped for addresses in every byte',
    bytesOf(long)
      .map((byte) => `%${byte}`)
      .join(''),
  ],
]

describe('a secret with something between its letters', () => {
  const known = new Redaction([{ name: 'KEY', value: long }])
  const some = new Redaction([{ name: 'KEY', value: long.slice(0, 30) }])

  it.each(spaced)('W41 is not said %s, no matter in which pieces', (how, form) => {
    const redaction = how.includes('-tx2') ? some : known
    const whole = `before: ${form}\nafter`
    const clean = redaction.text(whole)
    expect(clean).toMatch(/^before: .{0,4}\[secret KEY\][\s\S]{0,24}\nafter$/)
    for (const length of [1, 2, 3, 7, 16]) {
      const stream = new RedactedText(redaction)
      let joined = ''
      for (let at = 0; at < whole.length; at += length) joined += stream.take(whole.slice(at, at + length))
      expect(joined + stream.end()).toBe(clean)
    }
  })

  it('W41 is not said in most where the text was cut within it', () => {
    expect(known.cutText(`is ${bytesOf(long).slice(0, 20).join(' ')}`)).toBe('is [secret KEY]')
  })

  it('W28 is waited for no longer than something short stands between the letters', () => {
    const stream = new RedactedText(known)
    const begun = `is ${bytesOf(long).slice(0, 20).join(' ')}`
    expect(stream.take(begun)).toBe('is ')
    expect(stream.take(' '.repeat(100))).toBe(`${begun.slice(3)}${' '.repeat(100)}`)
  })

  it('W41 is found in no more time where a text is full of it, or of its beginning', () => {
    const spacedHex = `${bytesOf(long).join(' ')}.\n`
    expect(known.text(spacedHex.repeat(20_000))).toBe('[secret KEY].\n'.repeat(20_000))
    const begun = bytesOf(long).slice(0, -1).join(' ')
    expect(known.text(`${begun}.\n`.repeat(20_000))).toBe(`${begun}.\n`.repeat(20_000))
  })
})

describe('a text in pieces', () => {
  // Few letters, so that ends and beginnings meet; none of a mark, so that what is found is not one of ours.
  const letters = fc.string({ unit: fc.constantFrom('x', 'y', 'z'), maxLength: 40 })
  const secrets = fc.array(fc.string({ unit: fc.constantFrom('x', 'y', 'z'), minLength: 6, maxLength: 9 }), {
    minLength: 1,
    maxLength: 3,
  })

  it('W41 in any pieces is the whole text without the secrets, and has none of them', () => {
    fc.assert(
      fc.property(
        secrets,
        fc.array(fc.oneof(letters, fc.nat(2)), { maxLength: 8 }),
        fc.infiniteStream(fc.nat(7)),
        (values, parts, cuts) => {
          const known = new Redaction(values.map((value, nth) => ({ name: `N${nth}`, value })))
          const whole = parts
            .map((part) => (typeof part === 'number' ? values[part % values.length] : part))
            .join('')
          const stream = new RedactedText(known)
          let joined = ''
          for (let at = 0; at < whole.length; ) {
            const length = cuts.next().value as number
            joined += stream.take(whole.slice(at, at + length))
            at += length
          }
          joined += stream.end()
          expect(joined).toBe(known.cutText(whole))
          for (const value of values) expect(joined).not.toContain(value)
          if (!values.some((value) => whole.includes(value.slice(0, 6)))) expect(joined).toBe(whole)
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('W28 says at once what cannot be the beginning of a secret', () => {
    const stream = new RedactedText(new Redaction([{ name: 'KEY', value: 'hunter22' }]))
    expect(stream.take('Hello, the key is h')).toBe('Hello, the key is ')
    expect(stream.take('unt')).toBe('')
    expect(stream.take('ing')).toBe('hunting')
  })
})
