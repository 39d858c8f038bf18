import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { follow } from '@farhand/client/follow/follow'
import {
  addressOf,
  closeRun,
  createProject,
  findListedRun,
  listAllRuns,
} from '@farhand/client/resources/resources'
import { createSchedule, listOccurrences, runScheduleNow } from '@farhand/client/resources/schedules'
import type { Occurrence, Schedule } from '@farhand/protocol/schemas/schedules'
import { HubProcess } from '@farhand/testkit/hub-process'
import { onLoopback } from '@farhand/testkit/on-loopback'
import { expect, it, onTestFinished, vi } from 'vitest'

const soon = { timeout: 120_000, interval: 200 }

async function start() {
  const hub = await HubProcess.start({ settings: ['--close-grace-ms', '1000'] })
  onTestFinished(async () => {
    // It may be trying out how it can make sandboxes, and would leave that behind.
    await hub.kill('SIGTERM')
  })
  const user = { url: hub.url, token: hub.token }
  // A sandbox would outlive its hub.
  const closeAll = async () => {
    for (const run of (await listAllRuns(user)).items) await closeRun(user, addressOf(run))
    const folder = join(hub.data, 'sandboxes')
    await vi.waitFor(() => expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]), soon)
  }
  const { id: project } = await createProject(user, { name: 'garden' })
  const ledger = async ({ id }: Schedule) => (await listOccurrences(user, id)).items
  const until = async (schedule: Schedule, state: Occurrence['state']) => {
    await vi.waitFor(async () => expect(await ledger(schedule)).toMatchObject([{ state }]), soon)
    return (await ledger(schedule))[0]!
  }
  return { hub, user, project, ledger, until, closeAll }
}

/** A schedule that is not due yet when it is made, however slow the machine is. */
async function dueSoon(
  make: (from: string) => Promise<Schedule>,
  ms = 2000,
): Promise<{ schedule: Schedule; from: string }> {
  const from = new Date(Date.now() + ms).toISOString()
  const schedule = await make(from)
  return schedule.next[0] === from ? { schedule, from } : dueSoon(make, 2 * ms)
}

it('W94 a schedule starts its run with every client gone, though the hub was killed at the due time and again in the middle of the run', async () => {
  const { hub, user, project, until, closeAll } = await start()
  const { schedule, from } = await dueSoon((from) =>
    createSchedule(user, {
      project,
      name: 'Nightly',
      timing: { kind: 'every', seconds: 86_400, from },
      run: { agent: 'rehearsal', prompt: 'write done.txt with yes. wait 3 seconds. say the night is over' },
    }),
  )
  await hub.kill()
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(Date.parse(from)), soon)
  await hub.spawn()
  const started = await until(schedule, 'started')
  await vi.waitFor(async () => {
    const { now } = await findListedRun(user, started.run!)
    expect(now?.agentStatus).toBe('thinking')
  }, soon)
  await hub.restart()
  const finished = await until(schedule, 'finished')
  expect(finished).toMatchObject({ run: started.run, standsFor: 1, dueAt: from, by: 'time' })
  const { items } = await listAllRuns(user)
  expect(items).toMatchObject([{ id: started.run, mode: 'background', schedule: { name: 'Nightly' } }])
  const said: string[] = []
  const { id: run, task } = items[0]!
  for await (const { notification } of follow(user, { project, task, run }, { envelope: 'stored' })) {
    said.push(JSON.stringify(notification))
    if (notification.method === '_posthog/turn_complete') break
  }
  expect(said.filter((one) => one.includes('"method":"_posthog/user_message"'))).toHaveLength(1)
  await closeAll()
}, 240_000)

it('W94 a hub that is killed after it claimed an occurrence and before it made the run has the next one make it, once', async () => {
  const { hub, user, project, ledger, until, closeAll } = await start()
  // The hub asks this remote between its claim and the run, and gets no answer for some seconds.
  let isSilent = true
  const silent = createServer((_, answer) => {
    if (!isSilent) answer.writeHead(404).end()
  })
  const { url, close } = await onLoopback(silent)
  onTestFinished(close)
  const schedule = await createSchedule(user, {
    project,
    name: 'Cloned',
    timing: { kind: 'every', seconds: 86_400 },
    run: { agent: 'rehearsal', prompt: 'help', terms: { clone: { url: `${url}/garden.git` } } },
  })
  await runScheduleNow(user, schedule.id)
  await until(schedule, 'claimed')
  await hub.restart()
  expect(await ledger(schedule)).toMatchObject([{ state: 'claimed', run: null }])
  await vi.waitFor(async () => expect((await ledger(schedule))[0]?.run).not.toBeNull(), soon)
  expect(await ledger(schedule)).toHaveLength(1)
  expect((await listAllRuns(user)).items).toHaveLength(1)
  isSilent = false
  silent.closeAllConnections()
  await closeAll()
}, 240_000)
