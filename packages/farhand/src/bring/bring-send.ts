import { findRun } from '@farhand/client/resources/resources'
import { statePlace } from '../context/state-place.ts'
import type { World } from '../context/world.ts'
import { hubTrouble, patienceMs } from '../errors/hub-trouble.ts'
import { Trouble } from '../errors/trouble.ts'
import { withJsonErrors } from '../errors/with-json-errors.ts'
import { chooseRun } from '../find-run/choose-run.ts'
import { type ReachFlags, reachRun } from '../find-run/reach-run.ts'
import { runInWords } from '../printing/run-in-words.ts'
import { bringForRun } from './bring-for-run.ts'

/** Sends what is chosen to a run that there is, in place of what it has; its agent finds it when it starts next. */
export const bringSend = (named: string | undefined, flags: ReachFlags, world: World) =>
  withJsonErrors(flags, world, async () => {
    const { hub, at } = await reachRun(named ?? (await chooseRun(flags, world)), flags, world)
    try {
      const { agent, terms, sandbox } = await findRun(hub, at.run, { signal: world.stop, patienceMs })
      if (sandbox === 'none')
        throw new Trouble(
          'usage',
          `The agent of ${runInWords(at.run)} works on a computer, with whatever its user has there.`,
          'This is for runs in a sandbox.',
        )
      const place = statePlace(flags.state, world)
      const about = { flags, statePlace: place, hub, agent: agent ?? '', terms: terms ?? {} }
      await (await bringForRun({ ...about, evenNothing: true }, world)).send(at)
      if (!flags.json)
        world.note('Its agent finds that when it starts the next time, such as after a sleep.\n')
    } catch (error) {
      throw hubTrouble(error, hub.url, world) ?? error
    }
  })
