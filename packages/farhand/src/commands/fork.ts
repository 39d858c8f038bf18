import {
  addressOf,
  createRun,
  createTask,
  type findRun,
  runStatus,
} from '@farhand/client/resources/resources'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { hubTrouble } from '../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../command-line/errors/with-json-errors.ts'
import { eventNamed } from '../command-line/options/event-named.ts'
import type { CommandContext } from '../context/command-context.ts'
import { linkedRun } from './find-run/linked-run.ts'
import { type ReachFlags, reachRun } from './find-run/reach-run.ts'

type Flags = ReachFlags & { from?: unknown; agent?: unknown; title?: unknown }

/** `farhand fork`: makes a run that begins with the log of another one, up to an event; the other run stays as it is. */
export const forkCommand = (named: string | undefined, flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const from = flags.from === undefined ? null : eventNamed('--from', flags.from)
    const { hub, at } =
      named === undefined ? await linkedRun(flags, context) : await reachRun(named, flags, context)
    const options = { signal: context.stop, patienceMs }
    try {
      const { lastEventId } = await runStatus(hub, at, options)
      const event = from ?? lastEventId
      if (event > lastEventId || event === 0) throw nothingThere(event, lastEventId)
      const title = flags.title === undefined ? null : String(flags.title)
      const task = title === null ? at.task : (await createTask(hub, at.project, { title }, options)).id
      const agent = flags.agent === undefined ? {} : { agent: String(flags.agent) }
      // Without a time limit: the hub needs long to copy a long log.
      const body = { fork: { run: at.run, event }, ...agent }
      const run = await createRun(hub, at.project, task, body, { signal: context.stop })
      if (flags.json)
        return context.out(`${JSON.stringify({ event: 'forked', ...addressOf(run), forkOf: run.forkOf })}\n`)
      context.note(`A new run begins where ${runInWords(at.run)} was after event ${event}:\n`)
      context.out(`${run.id}\n`)
      context.note(`${howToGoOn(run, context)}\n`)
    } catch (error) {
      throw hubTrouble(error, hub.url, context) ?? error
    }
  })

function howToGoOn(
  { id, sandbox, agent }: Awaited<ReturnType<typeof findRun>>,
  { called }: CommandContext,
): string {
  const link = `\`${called.farhand} link <an empty folder> --run ${runInWords(id)}\` shows its files.`
  if (sandbox !== 'none') return `\`${called.farhand} send ${runInWords(id)} "..."\` goes on there; ${link}`
  const host = `\`${called.farhand} run --run ${runInWords(id)} --agent ${agent ?? '<agent>'} --folder <an empty folder>\``
  return `${host} has its agent work in a folder of this machine.`
}

function nothingThere(event: number, newest: number): Trouble {
  if (newest === 0) return new Trouble('usage', 'This run has no events yet.', 'Begin a new one.')
  const next = 'Name an earlier one, or none to fork from now.'
  return new Trouble('usage', `There is no event ${event}: the newest of this run is ${newest}.`, next)
}
