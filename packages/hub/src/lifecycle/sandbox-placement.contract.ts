import { describe, expect, it } from 'vitest'
import type { OwnedRun } from '../runs/run-directory.ts'
import type { SandboxSpec } from '../sandboxes/sandbox-host.ts'
import { generationOf } from './pretended-sandboxes-under-test.ts'
import type { SandboxPlacement } from './sandbox-placement.ts'

/** One hub's placement, the next hub's on the same machine, and which sandboxes have open sockets. */
export type PlacementUnderTest = {
  placement: SandboxPlacement
  next(): Promise<SandboxPlacement>
  open(): Promise<string[]>
  run: OwnedRun
}

export function sandboxPlacementContract(name: string, start: () => Promise<PlacementUnderTest>): void {
  describe(`where a sandbox can be: ${name}`, () => {
    async function begun(...ids: string[]) {
      const under = await start()
      const place = await under.placement.find(under.run)
      if (!('spec' in place)) throw new Error('there is no place for a run that may have one')
      const spec = (id: string, generation = 1): Promise<SandboxSpec> =>
        place.spec(id, { token: `fh_${under.run.id}_t`, generation, previousSeq: null })
      for (const id of ids) await spec(id)
      return { ...under, place, spec }
    }

    it('W50 is on one of its hosts, and opens nothing before a sandbox is to be started', async () => {
      const { placement, place, open } = await begun()
      expect(placement.hosts).toContain(place.host)
      expect([place.warning, place.lowered, await open()]).toEqual([null, [], []])
    })

    it('opens the sockets of the sandbox that it describes: for this run, with this grant', async () => {
      const { run, spec, open } = await begun()
      const described = await spec('sbx_1', 3)
      expect(described).toMatchObject({ id: 'sbx_1', run: run.id })
      expect(generationOf(described)).toBe(3)
      expect(await open()).toEqual(['sbx_1'])
      // The hub was killed before the sandbox was started: the same step again.
      await spec('sbx_1', 4)
      expect(await open()).toEqual(['sbx_1'])
    })

    it('closes the sockets of one that is gone, as often as it is told', async () => {
      const { placement, open } = await begun('sbx_1', 'sbx_2')
      await placement.closeSockets('sbx_1')
      await placement.closeSockets('sbx_1')
      expect(await open()).toEqual(['sbx_2'])
    })

    it('opens those of an earlier hub again, and closes all others', async () => {
      const { run, place, next, open } = await begun('sbx_1', 'sbx_2', 'sbx_3')
      const second = await next()
      const host = second.hosts.find(({ kind }) => kind === place.host.kind)!
      expect(await second.reopenSockets(run, 'sbx_2', host)).toBe(true)
      await second.closeOtherSockets(new Set(['sbx_2']))
      expect(await open()).toEqual(['sbx_2'])
      await second.closeSockets('sbx_2')
      expect(await open()).toEqual([])
    })
  })
}
