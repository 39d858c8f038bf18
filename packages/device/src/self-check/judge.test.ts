import { describe, expect, it } from 'vitest'
import {
  judgeAgents,
  judgeDatabase,
  judgeDevice,
  judgeGit,
  judgeHub,
  judgeNode,
  judgePort,
  judgeProxy,
  judgeSandbox,
  judgeState,
  judgeTerminal,
  judgeTokens,
  judgeWatches,
} from './judge.ts'

const hub = {
  url: 'http://h',
  trouble: null,
  aheadMs: 0,
  speaks: '1.0.0',
  we: '1.0.0',
  isKnown: true,
}
const kinds = (facts: Partial<Parameters<typeof judgeHub>[0]>) =>
  judgeHub({ ...hub, ...facts }, 'farhand').map(({ what, is }) => `${what} ${is}`)

describe('what the doctor makes of what it sees', () => {
  it('an older Node is broken by its last number too, and a newer one is fine', () => {
    expect(
      ['20.18.9', '18.20.4', '20.19.0', '20.19.1', '22.1.0'].map((one) => judgeNode(one, '20.19').is),
    ).toEqual(['broken', 'broken', 'fine', 'fine', 'fine'])
  })

  it('git is broken if it is missing, weak if it is old', () => {
    const said = [null, 'git version 2.25.1', 'git version 2.39.5 (Apple Git-154)', 'no git']
    expect(said.map((one) => judgeGit(one).is)).toEqual(['broken', 'weak', 'fine', 'weak'])
  })

  it('a hub is broken if it is silent, no hub, of another version or does not know us; weak if we have no token', () => {
    expect(kinds({})).toEqual(['hub fine', 'clock fine'])
    expect(kinds({ trouble: 'ECONNREFUSED' })).toEqual(['hub broken'])
    expect(kinds({ speaks: null })).toEqual(['hub broken'])
    expect(kinds({ speaks: '2.0.0' })).toEqual(['hub broken', 'clock fine'])
    expect(kinds({ speaks: '1.9.0' })).toEqual(['hub fine', 'clock fine'])
    expect(kinds({ isKnown: false })).toEqual(['hub broken', 'clock fine'])
    expect(kinds({ isKnown: null, aheadMs: null })).toEqual(['hub weak'])
  })

  it('says which clock is behind', () => {
    const says = (aheadMs: number) => judgeHub({ ...hub, aheadMs }, 'farhand')[1]?.says
    expect(says(90_000)).toContain('90 s behind http://h')
    expect(says(-90_000)).toContain('90 s ahead of http://h')
  })

  it('a state folder that others may read holds tokens: that is weak, and one without room broken', () => {
    const facts = { place: '/s', trouble: null, freeBytes: 1e12, isOpen: false }
    expect(judgeState(facts).is).toBe('fine')
    expect(judgeState({ ...facts, isOpen: true })).toMatchObject({ is: 'weak', next: 'chmod -R go= /s' })
    expect(judgeState({ ...facts, freeBytes: 1e6 }).is).toBe('broken')
    expect(judgeState({ ...facts, freeBytes: 5e8 }).is).toBe('weak')
    expect(judgeState({ ...facts, trouble: 'EROFS' }).is).toBe('broken')
  })

  it('a kernel that keeps namespaces from users is named with what changes it', () => {
    const facts = { unusable: 'bwrap: No permissions', strength: '', kernel: {} }
    expect(judgeSandbox({ ...facts, unusable: null, strength: 'bubblewrap' }).is).toBe('fine')
    const restricted = { 'kernel.apparmor_restrict_unprivileged_userns': '1' }
    expect(judgeSandbox({ ...facts, kernel: restricted })).toMatchObject({
      is: 'weak',
      says: 'bwrap: No permissions',
      next: 'sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0',
    })
    expect(judgeSandbox(facts).next).toContain('--sandbox process')
  })

  it('more folders than the system watches are weak before the last watch is used', () => {
    expect(judgeWatches(1000, 700).is).toBe('fine')
    expect(judgeWatches(1000, 900)).toMatchObject({ is: 'weak', next: expect.stringContaining('1048576') })
    expect(judgeWatches(null, 1e9).is).toBe('fine')
  })

  it('a port is only in the way if something else has it', () => {
    expect(judgePort(7717, null, false).is).toBe('fine')
    expect(judgePort(7717, 'node (process 1)', true).is).toBe('fine')
    expect(judgePort(7717, 'nginx (process 1)', false).is).toBe('weak')
  })

  it('a terminal without UTF-8, or one that can do nothing, is weak; none at all is fine', () => {
    expect(judgeTerminal(false, false, {}).is).toBe('fine')
    expect(judgeTerminal(true, true, { TERM: 'xterm', LANG: 'en_US.UTF-8' }).is).toBe('fine')
    expect(judgeTerminal(true, true, { TERM: 'xterm', LANG: 'C' }).is).toBe('weak')
    expect(judgeTerminal(true, false, { TERM: 'dumb', LANG: 'C.UTF-8' }).is).toBe('weak')
  })

  it('a database without its binary is broken, as there can be no hub', () => {
    expect([judgeDatabase(null).is, judgeDatabase('it is missing').is]).toEqual(['fine', 'broken'])
  })

  it('a keychain that does not answer is weak, and none at all fine: files do', () => {
    expect((['works', 'silent', 'none'] as const).map((one) => judgeTokens(one).is)).toEqual([
      'fine',
      'weak',
      'fine',
    ])
  })

  it('a proxy matters only for a hub on another machine', () => {
    expect(judgeProxy({}, ['https://far.example']).is).toBe('fine')
    expect(judgeProxy({ HTTPS_PROXY: 'http://p' }, ['http://127.0.0.1:7717']).is).toBe('fine')
    expect(judgeProxy({ HTTPS_PROXY: 'http://p' }, ['https://far.example']).is).toBe('weak')
  })

  it('no agent but the rehearsal is weak, and so is a device process that an update left behind', () => {
    expect(judgeAgents([], 'farhand').is).toBe('weak')
    expect(judgeAgents(['builtin'], 'farhand').is).toBe('fine')
    const device = { version: '0.0.9', pid: 7, folders: 2 }
    expect(judgeDevice(device, '0.1.0', 2, 'farhand').is).toBe('weak')
    expect(judgeDevice({ ...device, version: '0.1.0' }, '0.1.0', 2, 'farhand').is).toBe('fine')
    expect(judgeDevice(null, '0.1.0', 2, 'farhand').is).toBe('fine')
  })
})
