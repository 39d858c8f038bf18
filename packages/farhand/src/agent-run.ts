import { follow } from '@farhand/client/follow'
import { post } from '@farhand/client/post'
import { closeRun, initRun, runStatus } from '@farhand/client/resources'
import type { RunMode } from '@farhand/protocol/api'
import { type ConverseEnd, converse } from './converse.ts'
import { hubTrouble, patienceMs } from './find-run.ts'
import { newRun } from './new-run.ts'
import { pipedText, saidOrPiped } from './piped-text.ts'
import { reachRun } from './reach-run.ts'
import { jsonRunScreen, textRunScreen } from './run-screen.ts'
import { runTerms, type TermFlags } from './run-terms.ts'
import { type KnownRun, RunsHere } from './runs-here.ts'
import { type StartedRunner, startRunner } from './start-runner.ts'
import { statePlace } from './state-place.ts'
import { Trouble } from './trouble.ts'
import { withJsonErrors } from './with-json-errors.ts'
import type { World } from './world.ts'

export type AgentRunFlags = TermFlags &
  Readonly<
    Partial<Record<'agent' | 'folder' | 'run' | 'detach' | 'hub' | 'token' | 'state' | 'json', unknown>>
  >

const endMs = 10_000

/** Has an agent work in a folder on what it is told, and shows what it does; or joins a run that there is. */
export const agentRun = (said: string | undefined, flags: AgentRunFlags, world: World) =>
  withJsonErrors(flags, world, async () => {
    const terms = runTerms(flags)
    const lines = flags.json || flags.detach ? null : world.lines
    const isNew = flags.run === undefined
    // To join a run is to say nothing: whatever is piped in then may be meant for somebody else, or never end.
    const piped = said === undefined && isNew && !lines ? (await pipedText(world)) || undefined : undefined
    const prompt = said === undefined ? piped : await saidOrPiped(said, world)
    if (prompt === null || world.stop.aborted) return
    if (prompt !== undefined && prompt.trim() === '')
      throw new Trouble('usage', 'The message is empty.', 'Say what should be done.')
    if (isNew && prompt === undefined && !lines)
      throw new Trouble(
        'usage',
        'What should the agent do?',
        `Say it, or pipe it in: ${world.called.farhand} run --agent <id> "..."`,
      )
    const place = statePlace(flags.state, world)
    const runs = new RunsHere(place)
    const { known, at, hub, mode } = isNew
      ? { ...(await newRun(prompt, flags, { runs, statePlace: place }, world)), mode: 'interactive' as const }
      : await oldRun(flags, prompt !== undefined, runs, world)
    try {
      for (const event of terms(mode)) await post(hub, at, event, { signal: world.stop })
      const content = {
        jsonrpc: '2.0' as const,
        method: '_posthog/user_message',
        params: { content: prompt },
      }
      const messageId =
        prompt === undefined ? null : (await post(hub, at, content, { signal: world.stop })).lastEventId
      const isHere = known !== null && runs.holder(at.run) === null
      const runner = isHere ? startRunner(known, { runs, statePlace: place }, world) : null
      tellBegin(flags, { known, at, url: hub.url, isNew, isHere }, world)
      if (flags.detach) return await detach({ hub, at }, messageId, runner, flags, world)
      const { farhand } = world.called
      const hint = lines ? () => null : () => `  Answer it: ${farhand} answer ${at.run} <answer>`
      const screen = flags.json ? jsonRunScreen(world) : textRunScreen(world, hint)
      if (prompt !== undefined) screen.saying(prompt)
      const end = await converse(
        { hub, at, screen, messageId, lines, runnerEnded: runner?.ended ?? null },
        world,
      )
      const isOver = isNew && !lines && (end.is === 'turn-over' || end.is === 'stopped')
      if (isOver) await endRun({ hub, at }, end, runner)
      tellEnd(end, isOver, { at }, flags, world)
    } catch (error) {
      if (world.stop.aborted && !(error instanceof Trouble))
        world.note(`${at.run} stays as it is. ${howToGoOn(at.run, world)}\n`)
      else throw hubTrouble(error, hub.url, world, reopening(at.run, world)) ?? error
    }
  })

type Place = Pick<KnownRun, 'at'> & { hub: { url: string; token?: string } }

const reopening = (run: string, { called }: World) =>
  `Say something to open it again: ${called.farhand} run --run ${run} "..."`

async function oldRun(flags: AgentRunFlags, says: boolean, runs: RunsHere, world: World) {
  const { hub, at, known } = await reachRun(String(flags.run), flags, world)
  const mode = await open({ hub, at }, says, world)
  const holder = runs.holder(at.run)
  if (holder !== null || (!known && flags.agent === undefined)) return { hub, at, mode, known: null }
  const { hostHere } = await import('./new-run.ts')
  try {
    return { hub, at, mode, known: await hostHere({ hub, at, known }, flags, runs, world) }
  } catch (error) {
    // Its folder is taken, perhaps by a runner of this very run that somebody else has just started.
    if (runs.holder(at.run) === null) throw error
    return { hub, at, mode, known: null }
  }
}

/** The mode of a run that there is, open or opened again. */
async function open({ hub, at }: Place, says: boolean, world: World): Promise<RunMode> {
  try {
    const { status, mode } = await runStatus(hub, at, { signal: world.stop, patienceMs })
    if (status === 'closed' && !says)
      throw new Trouble('runClosed', `${at.run} is closed.`, reopening(at.run, world))
    if (status === 'closed') await initRun(hub, at, { signal: world.stop })
    return mode
  } catch (error) {
    throw hubTrouble(error, hub.url, world) ?? error
  }
}

/** Begins and does not watch: resolves when the message has been taken on, so that it is known to work. */
async function detach(
  { hub, at }: Place,
  messageId: number | null,
  runner: StartedRunner | null,
  flags: AgentRunFlags,
  world: World,
): Promise<void> {
  const enough = new AbortController()
  const signal = AbortSignal.any([enough.signal, world.stop])
  const taken = async () => {
    if (messageId === null || !runner) return null
    for await (const { notification } of follow(hub, at, { after: messageId, signal }))
      if (notification.method === '_posthog/ack' && notification.params?.id === messageId) break
    return null
  }
  try {
    const taking = taken()
    const trouble = await Promise.race([taking, ...(runner ? [runner.ended] : [])])
    if (trouble) throw trouble
    await taking
  } finally {
    enough.abort()
  }
  if (flags.json) return
  world.out(`${at.run}\n`)
  world.note(`It works on. ${howToGoOn(at.run, world)}\n`)
}

const howToGoOn = (run: string, { called }: World) =>
  `\`${called.farhand} run --run ${run}\` comes back to it, \`${called.farhand} close ${run}\` ends it.`

/** The run was for this one message: nothing of it goes on when this ends. */
async function endRun({ hub, at }: Place, end: ConverseEnd, runner: StartedRunner | null): Promise<void> {
  const options = { patienceMs }
  if (end.is === 'stopped')
    await post(hub, at, { jsonrpc: '2.0', method: '_posthog/cancel', params: {} }, options)
  await closeRun(hub, at, options)
  if (!runner) return
  // The runner's process does not keep ours alive; this does.
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise((resolve) => {
    timer = setTimeout(resolve, endMs)
  })
  await Promise.race([runner.ended, enough])
  clearTimeout(timer)
}

function tellBegin(
  flags: AgentRunFlags,
  told: { known: KnownRun | null; at: KnownRun['at']; url: string; isNew: boolean; isHere: boolean },
  world: World,
): void {
  const { known, at, url, isNew, isHere } = told
  const agent = known?.agent ?? null
  const folder = known?.workspace ?? null
  if (flags.json)
    world.out(`${JSON.stringify({ event: 'run', hub: url, ...at, agent, folder, isNew, isHere })}\n`)
  else if (isHere)
    world.note(`${agent} works in ${folder}, ${at.run}. Nothing isolates it: it may do what you may.\n`)
  else world.note(`${at.run}; its agent works in another process.\n`)
}

function tellEnd(
  end: ConverseEnd,
  isOver: boolean,
  { at }: Pick<KnownRun, 'at'>,
  flags: AgentRunFlags,
  world: World,
): void {
  if (flags.json) world.out(`${JSON.stringify({ event: 'ended', ...end, run: at.run, closed: isOver })}\n`)
  if (end.is === 'turn-over' && !['end_turn', 'cancelled'].includes(end.stopReason)) {
    // Whoever reads the screen has read there what went wrong.
    const told = flags.json
      ? (end.why ?? `The turn ended: ${end.stopReason}.`)
      : `${at.run} ${isOver ? 'is closed' : 'stays open'}.`
    throw new Trouble('failed', told, isOver ? reopening(at.run, world) : howToGoOn(at.run, world))
  }
  if (flags.json) return
  if (end.is === 'closed') world.note(`${at.run} is closed.\n`)
  else if (!isOver) world.note(`${at.run} stays open. ${howToGoOn(at.run, world)}\n`)
}
