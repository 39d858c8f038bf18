import { describe, expect, it } from 'vitest'
import { secretsIn } from './secrets-in.ts'

const kinds = (path: string, text: string) => secretsIn(path, text).map(({ kind }) => kind)
// Put together here, so that a secret scanner finds none in this file.
const random = (length: number) =>
  Array.from({ length }, (_, n) => 'aZ3kQ9xW1mR7tB5vN2cJ8pL4sD6fG0hYiUoE'[(n * 7 + 3) % 36]).join('')
const upper = (length: number) =>
  random(200)
    .toUpperCase()
    .replace(/[^A-Z2-7]/g, '')
    .slice(0, length)

describe('a secret by its name', () => {
  it.each(['.env', 'app/.env.production', '.git-credentials', 'id_rsa', 'a/id_ed25519', 'x.kdbx', 'k.p12'])(
    '%s is pointed out, with any content',
    (path) => expect(secretsIn(path, '')).toMatchObject([{ line: 0 }]),
  )

  it.each(['.env.example', '.env.sample', 'id_rsa.pub', 'environment.ts', 'credentials.md', 'keystore.ts'])(
    '%s is not',
    (path) => expect(secretsIn(path, '')).toEqual([]),
  )
})

describe('a secret by its shape', () => {
  it.each([
    ['an AWS access key', `AKIA${upper(16)}`],
    ['a GitHub token', `ghp_${random(36)}`],
    ['a GitLab token', `glpat-${random(20)}`],
    ['a Slack token', `xoxb-123498765432-${random(24)}`],
    ['a Google API key', `AIza${random(35)}`],
    ['a Stripe key', `sk_live_${random(24)}`],
    ['an Anthropic API key', `sk-ant-api03-${random(95)}`],
    ['an OpenAI API key', `sk-proj-${random(60)}`],
    ['an npm token', `npm_${random(36)}`],
    ['a Telegram bot token', `598231764:AA${random(33)}`],
  ])('%s is found at any place in a line', (kind, token) => {
    expect(secretsIn('src/main.ts', `// first\ncall(${JSON.stringify(token)})\n`)).toEqual([
      { line: 2, kind },
    ])
  })

  it('a private key is one sign, also inside of JSON', () => {
    const key = `-----BEGIN RSA PRIVATE KEY-----\n${random(64)}\n${random(64)}\n-----END RSA PRIVATE KEY-----\n`
    expect(secretsIn('keys/server.pem', key)).toEqual([{ line: 1, kind: 'a private key' }])
    expect(kinds('service.json', JSON.stringify({ key }))).toEqual(['a private key'])
  })

  it('is known in a line of any length: keys of services are one long line', () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${`${random(64)}\n`.repeat(50)}-----END PRIVATE KEY-----\n`
    const line = JSON.stringify({ type: 'service_account', private_key: key })
    expect(line.length).toBeGreaterThan(3_000)
    expect(kinds('.credentials', line)).toEqual(['a private key'])
  })

  it('a program that reads private keys, a certificate and a public key are none', () => {
    expect(
      kinds('read.ts', "if (text.startsWith('-----BEGIN PRIVATE KEY-----')) return parse(text)"),
    ).toEqual([])
    expect(kinds('c.pem', `-----BEGIN CERTIFICATE-----\n${random(64)}\n-----END CERTIFICATE-----`)).toEqual(
      [],
    )
    expect(kinds('p.pem', `-----BEGIN PUBLIC KEY-----\n${random(64)}\n-----END PUBLIC KEY-----`)).toEqual([])
  })

  it('stand-ins of handbooks are none', () => {
    expect(kinds('README.md', `aws_key = AKIAIOSFODNN7${'EXAMPLE'}`)).toEqual([])
    expect(kinds('README.md', `export GITHUB_TOKEN=ghp_${'x'.repeat(36)}`)).toEqual([])
  })
})

describe('a sign-in', () => {
  it('to a registry is pointed out in .npmrc, a name of a variable is not', () => {
    expect(kinds('.npmrc', `//registry.test/:_authToken=${random(30)}`)).toEqual([
      'credentials of a package registry',
    ])
    expect(kinds('.npmrc', '//registry.test/:_authToken=$' + '{NPM_TOKEN}')).toEqual([])
    expect(kinds('.npmrc', 'save-exact=true')).toEqual([])
  })

  it('in an address is pointed out, unless the machine is this one', () => {
    expect(kinds('deploy.yml', 'url: postgres://app:r4nd0mLetters9@db.internal/app')).toEqual([
      'an address with a password',
    ])
    expect(kinds('compose.yml', 'url: postgres://app:r4nd0mLetters9@localhost/app')).toEqual([])
    expect(kinds('README.md', 'postgres://user:password1@db.internal/app')).toEqual([])
  })
})

describe('a value', () => {
  it('that looks random and is called a secret is pointed out', () => {
    expect(kinds('src/config.ts', `const apiKey = '${random(32)}'`)).toEqual([
      'a value that looks like a secret',
    ])
    expect(kinds('config.yml', `  client_secret: ${random(40)}`)).toEqual([
      'a value that looks like a secret',
    ])
    expect(kinds('settings.ini', 'password = 9f86d081884c7d659a2feaa0c55ad015')).toHaveLength(1)
  })

  it.each([
    ['a.ts', "const token = 'next-page-token-2'"],
    ['a.ts', "const secretName = 'projects/my-project/secrets/v1'"],
    ['a.ts', 'const token = await readTokenFromKeychain2(account)'],
    ['a.ts', "headers: { 'x-csrf-token': getCookie('csrftoken') }"],
    ['a.yml', 'token: $' + '{{ secrets.GITHUB_TOKEN }}'],
    ['a.env.example', 'API_KEY=your-api-key-goes-here-1'],
    ['a.ts', `const commit = '${random(40)}'`],
    ['a.ts', "password: 'correct horse battery staple'"],
    ['a.ts', "const tokenKind = 'SyntaxKind.NumericLiteralToken2'"],
  ])('%s: %s is none', (path, line) => expect(kinds(path, line)).toEqual([]))

  it('in a line that a machine has made is not looked for', () => {
    expect(kinds('bundle.js', `${'a'.repeat(3000)};token="${random(32)}"`)).toEqual([])
  })
})
