import { checkMachine } from '@farhand/device/self-check/check-machine'
import type { Finding } from '@farhand/device/self-check/judge'
import { stateFolderPath } from '@farhand/device/state/state-folder-path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { lineInWords } from '@farhand/device/wording/path-in-words'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { withJsonErrors } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { version } from '../../context/version.ts'
import { paint } from '../../terminal/printing/paint.ts'
import { wrapWords } from '../../terminal/printing/wrap-words.ts'
import { hubData } from '../local-hub/local-hub-parts.ts'
import { lookAtDatabase, lookAtSandbox } from './hub-probes.ts'

const inset = 18

type Flags = { hub?: unknown; token?: unknown; state?: unknown; json?: unknown }

/** Checks everything that runs depend on, and says what to do about what is weak or broken. */
export const doctorCommand = (flags: Flags, context: CommandContext) =>
  withJsonErrors(flags, context, async () => {
    const findings = await checkMachine({
      ...context,
      state: new StateFolder(stateFolderPath(flags.state, context)),
      version,
      call: context.called.farhand,
      named: { hub: flags.hub, token: flags.token },
      ofHub: { data: hubData, database: lookAtDatabase, sandbox: lookAtSandbox },
    })
    for (const finding of findings)
      context.out(
        flags.json ? `${JSON.stringify({ event: 'finding', ...finding })}\n` : inWords(finding, context),
      )
    const count = (is: Finding['is']) => findings.filter((finding) => finding.is === is).length
    if (!flags.json)
      context.out(`\n${count('fine')} fine, ${count('weak')} weak, ${count('broken')} broken\n`)
    const broken = findings.filter(({ is }) => is === 'broken').map(({ what }) => what)
    if (broken.length > 0)
      throw new Trouble('failed', `Broken: ${broken.join(', ')}.`, 'What to do is below each of them.')
  })

function inWords({ what, is, says, next }: Finding, { color, columns }: CommandContext): string {
  const { dim, red, yellow } = paint(color)
  const shade = { fine: dim, weak: yellow, broken: red }[is]
  const line = `${shade(is.padEnd(6))}  ${what.padEnd(8)}  ${lineInWords(says)}\n`
  const all = next === null ? line : `${line}${' '.repeat(inset)}${lineInWords(next)}\n`
  return wrapWords(all, columns, columns < 2 * inset ? 0 : inset)
}
