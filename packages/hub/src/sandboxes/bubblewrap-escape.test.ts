import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { asOrdinaryUser } from '@farhand/testkit/as-ordinary-user'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BubblewrapSandboxHost } from './bubblewrap-sandbox-host.ts'
import { type Attempt, attemptAll, printed } from './escape-under-test.ts'

const root = mkdtempSync(path.join(tmpdir(), 'farhand-escape-'))
chmodSync(root, 0o755)
afterAll(() => rmSync(root, { recursive: true, force: true }))

const unusable = await new BubblewrapSandboxHost({ folder: root, secret: [] }).unusable()
// Nothing is called after tests of which none runs.
if (unusable) rmSync(root, { recursive: true })
const isRoot = process.getuid?.() === 0

type Attempted = Awaited<ReturnType<typeof attemptAll>>
const source = new URL('./escape-under-test.ts', import.meta.url)
const placeIn = (name: string) => mkdtempSync(path.join(root, `${name}-`))
const users = [
  { who: 'the user that runs the tests', attack: () => attemptAll(placeIn('own')) },
  ...(isRoot
    ? [
        {
          who: 'an ordinary user',
          attack: () => asOrdinaryUser<Attempted>(source, 'attemptAll', placeIn('ordinary')),
        },
      ]
    : []),
]

describe.skipIf(unusable).each(users)('a process in a sandbox of $who does not reach', ({ attack }) => {
  let result: Attempted
  beforeAll(async () => {
    result = await attack()
  })
  const tried = (attempt: Attempt) => printed(result.lastWords, attempt)
  const refusals = (attempt: Attempt) => tried(attempt).trim().split('\n')

  it('the data of the hub, nor any secret of it or of another run', () => {
    expect(tried('the data of the hub')).toMatch(/token: No such file/)
    for (const secret of result.secrets) expect(result.lastWords).not.toContain(secret)
  })

  it('the sandboxes beside it, which go on', () => {
    expect(refusals('the sandboxes beside it')).toHaveLength(3)
    for (const line of refusals('the sandboxes beside it')) expect(line).toMatch(/No such file/)
    expect(result.victimLives).toBe(true)
  })

  it('the home of the user', () => {
    expect(tried('the home of the user')).toMatch(
      /netrc: No such file[\s\S]*'\/root': No such file[\s\S]*\/home:\nagent\n$/,
    )
  })

  it('more than it may read, also if a readable folder is inside a secret one, which is inside a readable one', () => {
    const words = tried('what lies around what it may read')
    expect(words).toMatch(
      /^shown\n\S+: clone \S+\/clone: \.farhand program \S+\/\.farhand: readable \S+: inner shown\n$/,
    )
  })

  it('the private keys of the machine, no matter in which groups the user of the hub is', () => {
    expect(tried('keys of the machine')).toMatch(/^(ls: .*: No such file or directory\n|\/etc\/.*:\n|\n)*$/)
  })

  it('processes outside: they are neither seen nor ended', () => {
    expect(tried('other processes')).toMatch(/^(cat: .*Permission denied\n)*0\n$/)
    expect(tried('the hub, by a signal')).toContain('No such process')
    expect(tried('everybody, by a signal')).toBe('done\n')
  })

  it('files that others have open', () => {
    expect(tried('open files of others')).toBe('')
    // What an ordinary user sees through the first process is what it sees anyway.
    expect(tried('files through their numbers')).not.toMatch(/\b(boot|mnt|opt|root|srv|sys|var)\n/)
  })

  it('the kernel and its devices', () => {
    expect(refusals('the settings of the kernel')).toHaveLength(3)
    expect(tried('the settings of the kernel')).toMatch(
      /No such file[\s\S]*(Permission denied|Read-only)[\s\S]*(denied|nonexistent|Read-only)/,
    )
    expect(refusals('devices')).toHaveLength(6)
    for (const line of refusals('devices')) expect(line).toMatch(/No such file/)
    expect(tried('calls that lead out')).toBe('')
    expect(tried('letters on a terminal')).toBe('Operation not permitted\n')
    expect(tried('the memory of its parent')).toBe('Operation not permitted\n')
  })

  it('a place to write but its own', () => {
    expect(refusals('writing elsewhere')).toHaveLength(10)
    for (const line of refusals('writing elsewhere'))
      expect(line).toMatch(/^touch: .*(Read-only|No such file)/)
  })

  it('more power than it has', () => {
    expect(tried('mounting, as a new user')).toMatch(
      /unshare failed: Operation not permitted[\s\S]*mount: [\s\S]*mount: /,
    )
    expect(tried('becoming root')).toMatch(/^su: .*\n$/)
  })

  it('any network but the sockets of the egress', () => {
    expect(tried('network devices')).toBe('')
    expect(tried('a service of the machine')).toBe('Connection refused\n')
    expect(tried('a socket with no file')).toBe('Connection refused\n')
    expect(tried('an address out there')).toBe('Network is unreachable\n')
    expect(tried('a name out there')).toMatch(/^[1-9]\d*\n$/)
    expect(tried('the machine around a virtual one')).toBe('Address family not supported by protocol\n')
  })

  it('more of the disk than it was given, all its places together', () => {
    expect(tried('all of the disk')).toMatch(/^(No space left on device\n){2,3}$/)
  })
})
