import { findRun } from '@farhand/client/resources/resources'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import { hubTrouble } from '../../command-line/errors/hub-trouble.ts'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { chooseRun } from '../find-run/choose-run.ts'
import { type ReachFlags, reachRun } from '../find-run/reach-run.ts'
import { bringForRun } from './bring-for-run.ts'

/** Sends the chosen setup to an existing run, in place of what it has; the agent gets it at its next start. */
export const bringSend = (named: string | undefined, flags: ReachFlags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const { hub, at } = await reachRun(named ?? (await chooseRun(flags, context)), flags, context)
    try {
      const { agent, terms, sandbox } = await findRun(hub, at.run, { signal: context.stop, patienceMs })
      if (sandbox === 'none')
        throw new Trouble(
          'usage',
          `The agent of ${runInWords(at.run)} works on a user's computer, with the setup that is there.`,
          'This is for runs in a sandbox.',
        )
      const place = stateFolderPath(flags.state, context)
      const about = { flags, stateFolderPath: place, hub, agent: agent ?? '', terms: terms ?? {} }
      await (await bringForRun({ ...about, evenNothing: true }, context)).send(at)
      if (!flags.json)
        context.note('Its agent finds that when it starts the next time, such as after a sleep.\n')
    } catch (error) {
      throw hubTrouble(error, hub.url, context) ?? error
    }
  })
