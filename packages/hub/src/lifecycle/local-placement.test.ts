import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { RunnerConfig } from '@farhand/protocol/schemas/runner-config'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { OwnedRun } from '../runs/run-directory.ts'
import { scratchFolder } from '../sandboxes/egress/egress-proxy-under-test.ts'
import type { SandboxHost } from '../sandboxes/sandbox-host.ts'
import { LocalPlacement, type LocalPlacementParts } from './local-placement.ts'
import { PretendedPlacement } from './pretended-placement-under-test.ts'
import { PretendedSandboxes } from './pretended-sandboxes-under-test.ts'
import type { RunRules } from './run-rules.ts'
import { sandboxPlacementContract } from './sandbox-placement.contract.ts'

const host = (kind: string, isolates: boolean, why: string | null = null) =>
  ({ kind, isolates, unusable: async () => why }) as SandboxHost
const run = (more: Partial<OwnedRun> = {}) =>
  ({
    id: 'run_00000001',
    project: 'prj_00000001',
    task: 'tsk_00000001',
    agent: 'rehearsal',
    sandbox: null,
    terms: {},
    ...more,
  }) as OwnedRun

const rules: RunRules = {
  allowedSandboxes: [],
  usualSandbox: 'auto',
  memberNetwork: 'public',
  privateHosts: [],
  limits: { memoryMb: 100, processes: 100, cpus: 1, diskMb: 100 },
  maxIdleMinutes: 60,
}
const member = { ownerOf: async () => ({ isOwner: false, isOnlyUser: false, getsKeys: false }) }

async function placement(more: Partial<LocalPlacementParts> = {}) {
  const socketFolders = join(await scratchFolder(), 'doors')
  const made = new LocalPlacement({
    hosts: [host('strong', true), host('process', false)],
    equipment: {
      runner: { program: ['farhand', 'runner'], readable: ['/opt/farhand'] },
      agents: () => [],
      path: '/bin',
      agent: (id, secrets) =>
        id === 'rehearsal'
          ? {
              readable: ['/opt/agent'],
              modelHosts: ['model.example'],
              operatorHosts: [],
              secrets: Object.keys(secrets),
              inside: () => ({ command: 'agent', args: [], env: { ...secrets }, mcpServers: [] }),
            }
          : { impossible: 'no such agent' },
    },
    vault: {
      secretsFor: async (_, names) => {
        if (names.includes('GONE')) throw new Error('there is no secret GONE')
        return Object.fromEntries(names.map((name) => [name, 'secret']))
      },
      credentialFor: async () => null,
    },
    socketFolders,
    kind: 'auto',
    rules,
    ownerOf: async () => ({ isOwner: true, isOnlyUser: true, getsKeys: true }),
    url: 'http://hub',
    mostConnections: 100,
    take: (socket) => socket.destroy(),
    used: () => {},
    refused: () => {},
    ...more,
  })
  onTestFinished(() => made.close())
  return { made, socketFolders }
}

sandboxPlacementContract('on the machine of the hub', async () => {
  const { made, socketFolders } = await placement()
  const next = async () => {
    await made.close()
    return (await placement({ socketFolders })).made
  }
  const open = async () => (await readdir(socketFolders).catch(() => [])).sort()
  return { placement: made, next, open, run: run() }
})

sandboxPlacementContract('in tests of the keeper', async () => {
  const sockets = new Set<string>()
  const make = () => new PretendedPlacement(new PretendedSandboxes(), sockets)
  return { placement: make(), next: async () => make(), open: async () => [...sockets], run: run() }
})

describe('the sandbox placement of a run', () => {
  it('is the best that works here, or what the run or the hub asked for', async () => {
    const { made } = await placement()
    expect(await made.find(run())).toMatchObject({ host: { kind: 'strong' } })
    expect(await made.find(run({ sandbox: 'process' }))).toMatchObject({ host: { kind: 'process' } })
    const weak = await placement({ hosts: [host('strong', true, 'no bwrap'), host('process', false)] })
    expect(await weak.made.find(run())).toMatchObject({ host: { kind: 'process' } })
    expect(await weak.made.find(run({ sandbox: 'strong' }))).toEqual({
      impossible: expect.stringContaining('no bwrap'),
    })
  })

  it('is refused with the reason when the wanted kind cannot be had', async () => {
    const { made } = await placement()
    const why = async (more: Partial<OwnedRun>) => (await made.find(run(more))) as { impossible: string }
    expect((await why({ sandbox: 'cloud' })).impossible).toMatch(
      /no kind of sandbox called cloud.*strong and process/,
    )
    expect((await why({ agent: 'other' })).impossible).toBe('no such agent')
    expect((await why({ terms: { secrets: ['GONE'] } })).impossible).toMatch('no secret GONE')
    expect((await why({ sandbox: 'process', terms: { network: 'none' } })).impossible).toMatch(
      /cannot be kept off.*Ask for a strong sandbox/,
    )
    const weak = await placement({ hosts: [host('strong', true, 'No bwrap.'), host('process', false)] })
    expect(await weak.made.find(run({ terms: { network: 'none' } }))).toEqual({
      impossible: expect.stringMatching(/cannot be kept off.*No bwrap\./),
    })
    expect((await why({ sandbox: 'process', agent: null })).impossible).toMatch(/names no agent/)
    // A run that asked for no kind of sandbox may get a runner that the hub did not start.
    expect(await why({ agent: null })).toHaveProperty('waits')
    const none = await placement({ kind: 'none' })
    expect(await none.made.find(run())).toHaveProperty('waits')
    expect(await none.made.find(run({ sandbox: 'auto' }))).toHaveProperty('spec')
  })

  it('has its sockets before the program starts, and a runner config with the paths inside', async () => {
    const { made, socketFolders } = await placement()
    const found = await made.find(
      run({ terms: { network: 'none', secrets: ['KEY'], limits: { memoryMb: 64 } } }),
    )
    if (!('spec' in found)) throw new Error('it has to be lodged')
    const spec = await found.spec('sbx_1', { token: 't', generation: 3, previousSeq: null })
    expect((await readdir(join(socketFolders, 'sbx_1'))).sort()).toEqual(['hub.sock', 'proxy.sock'])
    expect(spec).toMatchObject({ network: 'sockets-only', limits: { memoryMb: 64, diskMb: 100 } })
    expect(spec.readable).toEqual(['/opt/farhand', '/opt/agent'])
    const paths = { workspace: '/w', state: '/s', home: '/h', socketFolder: '/d' }
    expect(RunnerConfig.parse(JSON.parse(spec.input(paths)))).toMatchObject({
      hub: { url: 'http://hub', socket: '/d/hub.sock' },
      proxy: '/d/proxy.sock',
      token: 't',
      generation: 3,
      workspace: '/w',
      agent: { env: { KEY: 'secret' } },
      secrets: ['KEY'],
    })
    await made.closeOtherSockets(new Set(['sbx_1']))
    expect(await readdir(socketFolders)).toEqual(['sbx_1'])
    await made.closeOtherSockets(new Set())
    expect(await readdir(socketFolders)).toEqual([])
  })

  it('W50 isolates for all users but the owner, and reaches only public hosts unless the operator says otherwise', async () => {
    const { made } = await placement(member)
    expect(await made.find(run())).toMatchObject({ host: { kind: 'strong' } })
    expect(await made.find(run({ sandbox: 'process' }))).toEqual({
      impossible: expect.stringContaining('for the owner of this hub alone'),
    })
    const weak = await placement({
      ...member,
      hosts: [host('strong', true, 'no bwrap'), host('process', false)],
    })
    expect(await weak.made.find(run())).toEqual({
      impossible: expect.stringMatching(/owner.*alone|alone.*owner/),
    })
    const found = await made.find(run({ terms: { network: 'full' } }))
    if (!('spec' in found)) throw new Error('it has to be lodged')
    expect(found.lowered).toEqual(['network: full asked for, public given'])
    expect(await found.spec('sbx_2', { token: 't', generation: 1, previousSeq: null })).toMatchObject({
      network: 'sockets-only',
    })
  })

  it('W51 has the lower of two limits, and says so', async () => {
    const { made } = await placement()
    const found = await made.find(run({ terms: { limits: { memoryMb: 600, processes: 50 } } }))
    if (!('spec' in found)) throw new Error('it has to be lodged')
    const { limits } = await found.spec('sbx_3', { token: 't', generation: 1, previousSeq: null })
    expect(limits).toEqual({ memoryMb: 100, processes: 50, cpus: 1, diskMb: 100 })
    expect(found.lowered).toEqual(['memory in MB: 600 asked for, 100 given'])
  })

  it('W50 is not taken over from an earlier hub when its kind is not allowed any more', async () => {
    const strict = await placement({ rules: { ...rules, allowedSandboxes: ['strong'] } })
    expect(
      await strict.made.reopenSockets(run({ sandbox: 'process' }), 'sbx_4', host('process', false)),
    ).toBe(false)
    expect(await strict.made.reopenSockets(run(), 'sbx_5', host('strong', true))).toBe(true)
  })
})
