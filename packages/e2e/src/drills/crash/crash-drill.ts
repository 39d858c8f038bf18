import { appendFile, readFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { SyncStatus } from '@farhand/protocol/runs/sync-status'
import { Project, Run, Task } from '@farhand/protocol/schemas/api'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { Dice } from '@farhand/testkit/dice'
import type { HubProcess } from '@farhand/testkit/hub-process'
import { callHub } from '../call-hub.ts'
import { writeAsDevice } from './device.ts'
import { chooseEnding, type Ending } from './endings.ts'
import { writeKeyed } from './keyed-writer.ts'
import { Ledger } from './ledger.ts'
import { BrokenPromise } from './log-rules.ts'
import { makeTasks } from './maker.ts'
import { writeAsRunners } from './runners.ts'
import { Stage } from './stage.ts'
import { upload } from './uploader.ts'
import { LinesWitness, StreamWitness } from './witness.ts'

/**
 * Lets several writers and readers use a hub that is killed and started again, and holds what they were told against
 * its disk after every death and at the end. Throws BrokenPromise when anything does not fit.
 */
export async function crashDrill(hub: HubProcess, seed: number, rounds: number): Promise<Ledger> {
  const dice = new Dice(seed)
  const stage = new Stage(hub, new Ledger(), dice.fork(), await makeRun(hub))
  stage.setUp(false)
  await hub.kill()
  play(stage)
  try {
    const startMs = await timeToStart(hub)
    for (let round = 1; round <= rounds; round += 1) {
      await live(stage, chooseEnding(dice, startMs))
      await compare(stage, false)
      if (dice.chance(0.3)) await tear(stage, dice)
    }
    await finish(stage)
  } catch (error) {
    stage.drop(error)
    throw error
  }
  return stage.ledger
}

function play(stage: Stage): void {
  stage.cast('writers', writeAsRunners(stage))
  for (const name of ['laptop', 'phone']) stage.cast('writers', writeAsDevice(stage, name))
  for (const name of ['web', 'script']) stage.cast('writers', writeKeyed(stage, name))
  stage.cast('writers', makeTasks(stage))
  stage.cast('writers', upload(stage))
  const witnesses = [
    new StreamWitness(stage, 'a reader of bare events', 'bare'),
    new StreamWitness(stage, 'a reader of stored events', 'stored'),
    new StreamWitness(stage, 'another reader of stored events', 'stored'),
    new LinesWitness(stage, 'a reader of lines'),
  ]
  for (const witness of witnesses) stage.cast('readers', witness.watch())
}

/** One life of the hub, from its start to its end. */
async function live(stage: Stage, ending: Ending): Promise<void> {
  const { hub } = stage
  let isMeant = false
  const byItself = (how: unknown) => {
    if (!isMeant)
      stage.drop(new BrokenPromise(`the hub ended by itself: ${how} ${hub.complaints.slice(-2000)}`))
  }
  const started = hub.spawn()
  hub.gone().then(byItself)
  started.catch(byItself)
  if (ending.when === 'starting') {
    await stage.pause(ending.afterMs)
  } else {
    await started
    stage.setUp(true)
    await stage.answers(ending.afterAnswers)
    if (ending.when === 'stopping') {
      isMeant = true
      void hub.kill('SIGTERM')
    }
    await stage.pause(ending.thenMs)
  }
  isMeant = true
  stage.setUp(false)
  await hub.kill('SIGKILL')
}

/** The last life: all writers and readers finish what they began, and all must have the same log in the end. */
async function finish(stage: Stage): Promise<void> {
  const { hub, ledger } = stage
  await hub.spawn()
  stage.closing = true
  stage.setUp(true)
  await stage.played('writers')
  const answer = await stage.call({ method: 'GET', path: paths.status(stage.at) })
  if (answer === 'lost') throw new BrokenPromise('the last hub is gone')
  const { lastEventId } = SyncStatus.parse(JSON.parse(answer.text))
  stage.setLastId(lastEventId)
  await stage.played('readers')
  const code = await hub.kill('SIGTERM')
  if (code !== 0) throw new BrokenPromise(`the hub was asked to stop and ended with ${code}`)
  await compare(stage, true)
  if (ledger.lastId !== lastEventId)
    throw new BrokenPromise(`the log has ${ledger.lastId} events, the hub said ${lastEventId}`)
}

/** Leaves what a write that was cut short leaves: the beginning of a line. A kill by itself does so too rarely. */
async function tear({ hub, at, ledger }: Stage, dice: Dice): Promise<void> {
  const words = dice.pick(['', 'and so on '.repeat(300)])
  const line = `{"id":${ledger.lastId + 1},"type":"notification","timestamp":"2026-01-01T00:00:00.000Z","notification":{"${words}`
  const file = logFile(hub, at)
  const ends = (await readFile(file).catch(none)).at(-1)
  // Behind a piece that is there already this would not be the beginning of anything.
  if (ends === 0x0a) await appendFile(file, line.slice(0, dice.between(1, line.length)))
}

const logFile = (hub: HubProcess, at: RunAddress) => join(hub.data, 'logs', `${at.run}.jsonl`)

const none = (error: NodeJS.ErrnoException) => {
  if (error.code === 'ENOENT') return Buffer.alloc(0)
  throw error
}

async function compare({ hub, at, ledger }: Stage, whole: boolean): Promise<void> {
  ledger.compare(await readFile(logFile(hub, at)).catch(none), whole)
}

async function timeToStart(hub: HubProcess): Promise<number> {
  const began = performance.now()
  await hub.spawn()
  const startMs = performance.now() - began
  await hub.kill('SIGKILL')
  return startMs
}

async function makeRun(hub: HubProcess): Promise<RunAddress> {
  const agent = new Agent()
  const make = async (path: string, value: object): Promise<unknown> => {
    const call = { method: 'POST', path, token: hub.token, body: JSON.stringify(value) }
    const answer = await callHub(hub.port, call, agent)
    if (answer === 'lost' || answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer)}`)
    return JSON.parse(answer.text)
  }
  const project = Project.parse(await make(paths.projects(), { name: 'drill' })).id
  const task = Task.parse(await make(paths.tasks(project), { title: 'drill' })).id
  const run = Run.parse(await make(paths.runs(project, task), { sandbox: 'none' })).id
  return { project, task, run }
}
