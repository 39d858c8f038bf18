import { rm } from 'node:fs/promises'
import { readLog } from '@farhand/client/follow/read-log'
import type { Hub } from '@farhand/client/requests/hub'
import { listAllRuns, listTasks } from '@farhand/client/resources/resources'
import { HubProcess } from '@farhand/testkit/hub-process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hubNewRunSource } from './hub-new-run.ts'
import { emptyForm, type NewRunForm, type NewRunPlan, planRun } from './new-run-form.ts'
import { RunNotStarted } from './new-run-source.ts'

let process: HubProcess
let hub: Hub
beforeAll(async () => {
  process = await HubProcess.start()
  hub = { url: process.url, token: process.token }
})
afterAll(async () => {
  await process.kill()
  await rm(process.data, { recursive: true, force: true })
})

/** It has no agent: its log has only what the test wrote. */
function planOf(said: Partial<NewRunForm>): NewRunPlan {
  const planned = planRun({ ...emptyForm, agent: 'rehearsal', sandbox: 'none', prompt: 'say hello', ...said })
  if ('troubles' in planned) throw new Error(JSON.stringify(planned.troubles))
  return planned.plan
}

describe('a new run at a hub', () => {
  it('is begun once, no matter how often it is requested under one key', async () => {
    const { begin } = hubNewRunSource(hub)
    const plan = planOf({ projectName: 'Once', mode: 'background', policy: 'allow-all' })
    const at = await begin(plan, 'key-1')
    expect(await begin(plan, 'key-1')).toEqual(at)
    const { items } = await listAllRuns(hub)
    expect(items.filter(({ projectName }) => projectName === 'Once')).toMatchObject([{ title: 'say hello' }])
    const said: string[] = []
    for await (const { notification } of readLog(hub, at)) said.push(notification.method)
    expect(said.filter((method) => method === '_posthog/user_message')).toHaveLength(1)
    expect(said.lastIndexOf('_posthog/mode_change')).toBeLessThan(said.indexOf('_posthog/user_message'))
  })

  it('is corrected after refusals without a second project or task', async () => {
    const { begin, offers } = hubNewRunSource(hub)
    const wrong = planOf({ projectName: 'Corrected', agent: 'a'.repeat(101) })
    await expect(begin(wrong, 'key-7')).rejects.toBeInstanceOf(RunNotStarted)
    const at = await begin(planOf({ projectName: 'Corrected' }), 'key-7')
    const { projects } = await offers(new AbortController().signal)
    expect(projects.filter(({ name }) => name === 'Corrected')).toMatchObject([{ id: at.project }])
    expect((await listTasks(hub, at.project)).items).toMatchObject([{ id: at.task }])
    // Who corrects it after that means another run.
    const other = await begin(planOf({ projectName: 'Corrected', prompt: 'say more' }), 'key-7')
    expect(other.project).toBe(at.project)
    expect(other.run).not.toBe(at.run)
  })

  it('is offered what the hub has: agents, projects, and runs to go on from', async () => {
    const { begin, offers } = hubNewRunSource(hub)
    const at = await begin(planOf({ projectName: 'Shop' }), 'key-2')
    const { here, projects, runs } = await offers(new AbortController().signal)
    expect(here.agents.map(({ id }) => id)).toContain('rehearsal')
    expect(projects[0]).toMatchObject({ id: at.project, name: 'Shop' })
    const fork = { run: at.run, event: runs.find(({ id }) => id === at.run)!.now!.lastEventId }
    const forked = await begin(planOf({ project: at.project, startsFrom: 'fork', fork }), 'key-3')
    expect(forked.project).toBe(at.project)
  })

  it('is refused with a message beside the wrong field', async () => {
    const { begin } = hubNewRunSource(hub)
    const fork = { run: 'run_000000000000000000000', event: 1 }
    const refused = await begin(planOf({ projectName: 'No', startsFrom: 'fork', fork }), 'key-4').catch(
      (e) => e,
    )
    expect(refused).toBeInstanceOf(RunNotStarted)
    expect(refused.field).toBe('fork')
    const odd = await begin(planOf({ projectName: 'No', agent: 'a'.repeat(101) }), 'key-5').catch((e) => e)
    expect(odd.field).toBe('agent')
    const signedOut = await hubNewRunSource({ url: hub.url })
      .begin(planOf({ projectName: 'No' }), 'key-6')
      .catch((e) => e)
    expect(signedOut.field).toBe('form')
  })
})
