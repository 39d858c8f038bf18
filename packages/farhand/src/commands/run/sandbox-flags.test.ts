import { describe, expect, it } from 'vitest'
import { promptBesideSandbox, type SandboxFlags, sandboxAsked } from './sandbox-flags.ts'

const troubleOf = (flags: SandboxFlags) => {
  try {
    return sandboxAsked(flags)
  } catch (error) {
    return (error as Error).message
  }
}

describe('a sandbox on the command line', () => {
  it('is the default of a run', () => {
    expect(sandboxAsked({})).toEqual({ kind: 'auto', terms: {} })
    expect(sandboxAsked({ setup: 'npm ci' })).toEqual({ kind: 'auto', terms: { setup: 'npm ci' } })
  })

  it('is not around an agent that is to work here, and then has no terms either', () => {
    expect(sandboxAsked({ here: true })).toBeNull()
    expect(troubleOf({ here: true, setup: 'npm ci' })).toMatch('--setup is about a sandbox')
    expect(troubleOf({ here: true, sandbox: 'auto' })).toMatch('--sandbox is about a sandbox')
  })

  it('is of the kind that is named, else of whichever the hub has', () => {
    expect(sandboxAsked({ sandbox: true })).toEqual({ kind: 'auto', terms: {} })
    expect(sandboxAsked({ sandbox: 'process' })).toMatchObject({ kind: 'process' })
    expect(troubleOf({ sandbox: 'bubble' })).toMatch('no kind of sandbox called "bubble"')
  })

  it('is decided on when the run begins', () => {
    expect(sandboxAsked({ run: 'run_1' })).toBeNull()
    for (const flag of [{ sandbox: true }, { here: true }, { setup: 'npm ci' }])
      expect(troubleOf({ ...flag, run: 'run_1' })).toMatch('cannot be changed later')
  })

  it('has its terms in the units of the wire', () => {
    const flags = {
      sandbox: true,
      network: 'example.org, *.example.com:8443',
      setup: 'npm ci',
      idle: '2h',
      secret: ['A', 'B', 'A'],
      memory: '4g',
      disk: '10G',
      cpus: '1.5',
      processes: '200',
      clone: 'https://example.org/a.git',
      ref: 'main',
      remote: ['https://example.org/'],
    }
    expect(sandboxAsked(flags)?.terms).toEqual({
      network: { allow: ['example.org', '*.example.com:8443'] },
      setup: 'npm ci',
      idleMinutes: 120,
      secrets: ['A', 'B'],
      limits: { memoryMb: 4096, diskMb: 10_240, cpus: 1.5, processes: 200 },
      clone: { url: 'https://example.org/a.git', ref: 'main' },
      remotes: ['https://example.org/'],
    })
    expect(sandboxAsked({ sandbox: true, network: 'none' })?.terms).toEqual({ network: 'none' })
  })

  it.each([
    [{ network: 'http://example.org' }, '--network has "http://example.org"'],
    [{ network: '' }, '--network has ""'],
    [{ idle: 'soon' }, '--idle is "soon"'],
    [{ idle: '0m' }, '--idle is "0m"'],
    [{ idle: '31d' }, '--idle is "31d"'],
    [{ memory: '4096' }, '--memory is too small.'],
    [{ cpus: '0' }, '--cpus is too small.'],
    [{ network: 'none,example.org' }, '--network has "none", which is not a host and stands alone.'],
    [{ memory: 'much' }, '--memory is "much", which is not a size'],
    [{ cpus: 'two' }, '--cpus is "two"'],
    [{ processes: '1.5' }, '--processes cannot be taken'],
    [{ clone: 'git@example.org:a.git' }, '--clone cannot be taken'],
    [{ ref: 'main' }, '--ref is about a repository to clone'],
    [{ remote: ['ftp://example.org'] }, '--remote cannot be taken'],
    [{ secret: ['a-b'] }, 'not "a-b"'],
  ] as [SandboxFlags, string][])('is refused with %j', (flags, says) => {
    expect(troubleOf({ sandbox: true, ...flags })).toMatch(says)
  })

  it('does not show a secret that was given in place of its name', () => {
    expect(troubleOf({ sandbox: true, secret: ['TOKEN=hunter2'] })).not.toMatch('hunter2')
  })

  it('leaves a prompt after it as it is', () => {
    expect(promptBesideSandbox(undefined, { sandbox: 'do this' })).toEqual({
      prompt: 'do this',
      flags: { sandbox: true },
    })
    const said = { prompt: 'x', flags: { sandbox: 'process' } }
    expect(promptBesideSandbox(said.prompt, said.flags)).toEqual(said)
  })
})
