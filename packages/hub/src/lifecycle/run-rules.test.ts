import type { SandboxTerms } from '@farhand/protocol/schemas/sandbox-terms'
import { describe, expect, it } from 'vitest'
import {
  limitsFor,
  loweredInWords,
  networkFor,
  privateHostsFor,
  type RunRules,
  whyNotKind,
  whyNotTerms,
} from './run-rules.ts'

const owner = { isOwner: true, isOnlyUser: true }
const member = { isOwner: false, isOnlyUser: false }
const strong = { kind: 'bubblewrap', isolates: true }
const weak = { kind: 'process', isolates: false }
const rules = (more: Partial<RunRules> = {}): RunRules => ({
  allowedSandboxes: [],
  usualSandbox: 'auto',
  memberNetwork: 'public',
  privateHosts: [],
  limits: { memoryMb: 128, processes: 100, cpus: 2, diskMb: 500 },
  maxIdleMinutes: 60,
  ...more,
})

describe('W50 a kind of sandbox', () => {
  it('that does not isolate is for an owner alone, also where the operator lists it', () => {
    expect(whyNotKind(rules(), owner, weak)).toBeNull()
    expect(whyNotKind(rules(), member, weak)).toMatch(/owner of this hub alone/)
    expect(whyNotKind(rules({ allowedSandboxes: ['process'] }), member, weak)).toMatch(/alone/)
    expect(whyNotKind(rules(), member, strong)).toBeNull()
  })

  it('that does not isolate is off for an owner with other users, until the operator names it', () => {
    const withOthers = { ...owner, isOnlyUser: false }
    expect(whyNotKind(rules(), withOthers, weak)).toMatch(/has other users.*--allowed-sandboxes/)
    expect(whyNotKind(rules({ allowedSandboxes: ['bubblewrap', 'process'] }), withOthers, weak)).toBeNull()
    expect(whyNotKind(rules({ usualSandbox: 'process' }), withOthers, weak)).toBeNull()
    expect(whyNotKind(rules(), withOthers, strong)).toBeNull()
  })

  it('that the operator does not list is refused, to the owner too', () => {
    const strict = rules({ allowedSandboxes: ['bubblewrap'] })
    expect(whyNotKind(strict, owner, weak)).toMatch(/does not allow process sandboxes.*--allowed-sandboxes/)
    expect(whyNotKind(strict, member, strong)).toBeNull()
  })
})

describe('W50 the network of a member', () => {
  it.each([
    ['public', undefined, 'public'],
    ['public', 'full', 'public'],
    ['public', 'none', 'none'],
    ['public', { allow: ['a.example'] }, { allow: ['a.example'] }],
    ['full', undefined, 'full'],
    ['listed', 'full', 'none'],
    ['listed', 'public', 'none'],
    ['listed', { allow: ['a.example'] }, { allow: ['a.example'] }],
    ['none', { allow: ['a.example'] }, 'none'],
  ] as const)('of at most %s who asks for %j is %j', (memberNetwork, asked, given) => {
    expect(networkFor(rules({ memberNetwork }), member, asked as SandboxTerms['network'])).toEqual(given)
    expect(networkFor(rules({ memberNetwork }), owner, asked as SandboxTerms['network'])).toEqual(
      asked ?? 'full',
    )
  })

  it.each([
    [{ network: { allow: ['127.0.0.1:5432'] } }, 'terms.network'],
    [{ network: { allow: ['example.org', '[::1]:80'] } }, 'terms.network'],
    [{ network: { allow: ['localhost:3000'] } }, 'terms.network'],
    [{ network: { allow: ['169.254.169.254'] } }, 'terms.network'],
    [{ network: { allow: ['0x7f000001:80'] } }, 'terms.network'],
    [{ remotes: ['http://10.0.0.1/team/'] }, 'terms.remotes'],
    [{ clone: { url: 'http://127.1:8080/a.git' } }, 'terms.clone'],
  ])('cannot be made to reach private addresses by %j', (terms, field) => {
    expect(whyNotTerms(rules(), member, terms)).toMatchObject({ field })
    expect(whyNotTerms(rules(), owner, terms)).toBeNull()
    expect(whyNotTerms(rules({ memberNetwork: 'full' }), member, terms)).toBeNull()
  })

  it('may lead to private hosts that the operator names, at their ports', () => {
    const open = rules({ privateHosts: ['10.0.0.1:8080'] })
    const to = (host: string) => whyNotTerms(open, member, { network: { allow: [host] } })
    expect(to('10.0.0.1:8080')).toBeNull()
    expect(to('10.0.0.1:22')).not.toBeNull()
    expect(to('10.0.0.1')).not.toBeNull()
    expect(whyNotTerms(open, member, { clone: { url: 'http://10.0.0.1:8080/a.git' } })).toBeNull()
    expect(privateHostsFor(open, member)).toEqual(['10.0.0.1:8080'])
    expect(privateHostsFor(open, owner)).toBe('any')
  })
})

describe('W51 of two limits', () => {
  it('the lower one counts, whichever it is, for the owner too', () => {
    expect(limitsFor(rules(), { memoryMb: 600, processes: 20, cpus: 8 })).toEqual({
      memoryMb: 128,
      processes: 20,
      cpus: 2,
      diskMb: 500,
    })
    expect(limitsFor(rules())).toEqual(rules().limits)
  })

  it('the user is told what a run does not get', () => {
    const terms: SandboxTerms = { limits: { memoryMb: 600, diskMb: 20 }, idleMinutes: 90, network: 'full' }
    expect(loweredInWords(rules(), member, terms)).toEqual([
      'memory in MB: 600 asked for, 128 given',
      'minutes until it sleeps: 90 asked for, 60 given',
      'network: full asked for, public given',
    ])
    expect(loweredInWords(rules(), member, {})).toEqual([])
  })
})
