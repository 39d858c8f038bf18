import { realpathSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { findRun, moveRun } from '@farhand/client/resources'
import { StateFolder } from '@farhand/sync/state-folder'
import { usableAgent } from '../agents-here.ts'
import { hubTrouble, patienceMs } from '../find-run.ts'
import { firstLook } from '../first-look/first-look.ts'
import { folderToLink } from '../folder-to-link.ts'
import { reachRun } from '../reach-run.ts'
import { runInWords } from '../run-in-words.ts'
import { RunsHere } from '../runs-here.ts'
import { statePlace } from '../state-place.ts'
import { Trouble } from '../trouble.ts'
import { withJsonErrors } from '../with-json-errors.ts'
import type { World } from '../world.ts'
import { decideHandoff, type Step } from './decide-handoff.ts'
import { type HandoffRun, lookAt, type SeenRun } from './handoff-run.ts'
import { isTaken, moveHere, startHere, whenAtWork } from './move-here.ts'
import { followToCloud, moveToCloud } from './move-to-cloud.ts'
import { rest, type SettleFlags, settle } from './settle-run.ts'
import { type HandoffTelling, tellHandoff } from './tell-handoff.ts'

export type HandoffFlags = SettleFlags &
  Readonly<Partial<Record<'to' | 'folder' | 'sandbox' | 'secrets' | 'hub' | 'token' | 'state', unknown>>>

/** More often than anybody speaks to a run in the moment in which it is handed over. */
const mostTries = 200
const lookMs = 30
const hostEndsMs = 3_000

/** Has the agent of a run go on here, or in a sandbox: the same conversation, files and commits. */
export const handoffCommand = (named: string | undefined, flags: HandoffFlags, world: World) =>
  withJsonErrors(flags, world, async () => {
    const to = direction(flags)
    const handoff = await findHandoff(named, to, flags, world)
    const tell = tellHandoff(flags, world)
    try {
      await (to === 'here' ? checkHere : checkCloud)(handoff, flags, world)
      await handOver(to, handoff, flags, tell, world)
    } catch (error) {
      if (world.stop.aborted && !(error instanceof Trouble)) return world.note(leftOff(handoff, world))
      throw hubTrouble(error, handoff.hub.url, world) ?? error
    }
    const { at, workspace, kind } = handoff
    const attach = `\`${world.called.farhand} attach ${runInWords(at.run)}\` comes back to it.`
    const about = { run: at.run, to, workspace: workspace || null, sandbox: to === 'here' ? null : kind }
    tell.done(
      about,
      to === 'here'
        ? `${runInWords(at.run)} works here now, in ${workspace}. ${attach}`
        : `${runInWords(at.run)} works in a sandbox of ${handoff.hub.url} now. ${attach}`,
    )
  })

function direction({ to }: HandoffFlags): 'here' | 'cloud' {
  if (to === 'here' || to === 'cloud') return to
  throw new Trouble('usage', 'Where shall it work?', 'Say --to here or --to cloud.')
}

const leftOff = ({ at }: HandoffRun, { called }: World) =>
  `Stopped. \`${called.farhand} status ${runInWords(at.run)}\` says where it works; the same command again goes on.\n`

/** One step after the other, each from how the run stands then, until it is where it shall be. */
async function handOver(
  to: 'here' | 'cloud',
  handoff: HandoffRun,
  flags: HandoffFlags,
  tell: HandoffTelling,
  world: World,
): Promise<void> {
  for (let tries = 0; tries < mostTries; tries++) {
    const seen = await lookAt(handoff, world.stop)
    const step = decideHandoff(to, seen.standing)
    if (step.do === 'nothing') return
    const isOver = await doStep(step, { to, handoff, seen, flags, tell }, world).catch((error: unknown) => {
      if (isTaken(error)) return false
      throw error
    })
    if (isOver) return
  }
  throw new Trouble(
    'failed',
    `${runInWords(handoff.at.run)} is spoken to all the time.`,
    'Nothing was changed; say it again later.',
  )
}

type Circumstances = {
  to: 'here' | 'cloud'
  handoff: HandoffRun
  seen: SeenRun
  flags: HandoffFlags
  tell: HandoffTelling
}

/** Whether that was the last one. */
async function doStep(
  step: Exclude<Step, { do: 'nothing' }>,
  { to, handoff, seen, flags, tell }: Circumstances,
  world: World,
): Promise<boolean> {
  switch (step.do) {
    case 'refuse':
      throw refused(step.why, handoff, world)
    case 'settle':
      await settle(handoff, seen, step.asks, flags, tell, world)
      return false
    case 'rest':
      await rest(handoff, seen, tell, world)
      return false
    case 'take':
      if (!(await hostEnds(handoff, world))) return false
      await (to === 'here' ? moveHere : moveToCloud)(handoff, seen, tell, world)
      return to === 'cloud'
    case 'go-on':
      // Who was killed right after the step has not noted it: then it came from here.
      if (to === 'cloud') await followToCloud(handoff, isOfHere(handoff), tell, world)
      else {
        tell.step('begin', 'Its runner begins here.')
        const trouble = await whenAtWork(startHere(handoff, world), handoff, seen.generation, world)
        if (trouble) throw trouble
      }
      return true
  }
}

const isOfHere = ({ known }: HandoffRun) => known !== null && known.sandbox === undefined

/**
 * Whether no runner of it has the folder here: one that rests ends by itself. One that an earlier handoff has started may wait
 * for its hub, and be at work before it ends.
 */
async function hostEnds({ runs, at }: HandoffRun, { stop }: World): Promise<boolean> {
  for (const since = performance.now(); performance.now() - since < hostEndsMs; await pause(lookMs)) {
    stop.throwIfAborted()
    if (runs.holder(at.run) === null) return true
  }
  return false
}

async function findHandoff(
  named: string | undefined,
  to: 'here' | 'cloud',
  flags: HandoffFlags,
  world: World,
): Promise<HandoffRun> {
  const place = statePlace(flags.state, world)
  const runs = new RunsHere(place)
  const state = new StateFolder(place)
  const { hub, at, known } = await reachRun(
    named ?? (await runOfFolder(state, runs, flags, world)),
    flags,
    world,
  )
  const run = await findRun(hub, at.run, { signal: world.stop, patienceMs }).catch((error: unknown) => {
    throw hubTrouble(error, hub.url, world) ?? error
  })
  const isFar = run.sandbox !== null && run.sandbox !== 'none'
  const before = isFar ? run.sandbox! : (known?.cameFrom ?? 'auto')
  const kind = to === 'cloud' ? String(flags.sandbox ?? before) : before
  const workspace = await folderOf({ at, known }, to, flags, state, world)
  const agent = run.agent ?? known?.agent
  if (!agent) throw new Trouble('usage', `${runInWords(at.run)} names no agent.`, 'Begin a new run with one.')
  return { hub: { ...hub, token: hub.token ?? '' }, at, known, agent, workspace, kind, runs, state }
}

/**
 * Where the files of a run are on this machine, or are to be; empty if it is to work elsewhere, and nothing of it is here:
 * whatever folder somebody happens to be in is not its.
 */
async function folderOf(
  { at, known }: Pick<HandoffRun, 'at' | 'known'>,
  to: 'here' | 'cloud',
  flags: HandoffFlags,
  state: StateFolder,
  world: World,
): Promise<string> {
  const named = flags.folder ?? (known?.workspace || undefined)
  const linked = named === undefined ? state.around(realpathSync(world.cwd)) : null
  if (linked?.at.run === at.run) return linked.folder
  if (named === undefined && to === 'cloud') return ''
  return await folderToLink(String(named ?? '.'), state.root, world)
}

/** The run that this folder is linked to, or that works in it. */
async function runOfFolder(
  state: StateFolder,
  runs: RunsHere,
  flags: HandoffFlags,
  world: World,
): Promise<string> {
  const folder = await folderToLink(String(flags.folder ?? '.'), state.root, world)
  const hosted = runs
    .all()
    .filter(({ at, workspace }) => workspace === folder && runs.closedAt(at.run) === null)
  const run = state.around(folder)?.at.run ?? hosted.at(-1)?.at.run
  if (run !== undefined) return run
  const list = `Name it: ${world.called.farhand} handoff <run> --to ${flags.to}. \`${world.called.farhand} ls\` lists them.`
  throw new Trouble('usage', `No run works in ${folder}.`, list)
}

/** What would keep a run from working here, found out before anything is changed. */
async function checkHere(handoff: HandoffRun, flags: HandoffFlags, world: World): Promise<void> {
  const { agent, state, workspace, at, hub, runs } = handoff
  usableAgent(agent, state.root, world)
  const { folderHolder, folderTaken, holderAround } = await import('../lock-folder.ts')
  const around = holderAround(workspace)
  const holder = folderHolder(state, workspace)
  const isOurs = holder === null || holder === runs.holder(at.run) || state.find(workspace)?.at.run === at.run
  if (!isOurs) throw folderTaken(workspace, holder)
  if (around) throw folderTaken(around.folder, around.pid)
  if (runs.holder(at.run) === null) await firstLook(workspace, { state, hub: hub.url, flags }, world)
}

/** What would keep a run from having a sandbox, found out before anything is changed. */
async function checkCloud({ hub, at, kind }: HandoffRun, _: HandoffFlags, { stop }: World): Promise<void> {
  await moveRun(hub, at, { sandbox: kind, after: 0, check: true }, { signal: stop, patienceMs })
}

function refused(why: 'closed' | 'other-device', { at }: HandoffRun, { called }: World): Trouble {
  if (why === 'closed')
    return new Trouble(
      'runClosed',
      `${runInWords(at.run)} is closed.`,
      `Say something to open it again: ${called.farhand} run --run ${runInWords(at.run)} "..."`,
    )
  return new Trouble(
    'alreadyRunning',
    `${runInWords(at.run)} works on another machine.`,
    `Hand it over from there: ${called.farhand} handoff ${runInWords(at.run)} --to cloud`,
  )
}
