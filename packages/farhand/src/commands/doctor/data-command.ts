import path from 'node:path'
import { Trouble } from '@farhand/device/trouble/trouble'
import { lineInWords } from '@farhand/device/wording/path-in-words'
import { reportedInJson } from '../../command-line/errors/with-json-errors.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { whileWaiting } from '../../terminal/printing/while-waiting.ts'

/** Verifies a hub's data folder: its store, every line of its logs, and every blob. Changes nothing. */
export const doctorDataCommand = (flags: { data: string; json?: unknown }, context: CommandContext) =>
  reportedInJson(flags, context, async () => {
    const { verifyData } = await import('@farhand/hub/verify-data')
    const data = path.resolve(context.cwd, flags.data)
    const { troubles, ...counted } = await whileWaiting(`reading all of ${data}`, context, () =>
      verifyData(data, (done) => {
        context.stop.throwIfAborted()
        if (flags.json) context.out(`${JSON.stringify({ event: 'reading', file: done })}\n`)
      }),
    )
    const { logs, events, blobs } = counted
    if (flags.json) {
      for (const trouble of troubles) context.out(`${JSON.stringify({ event: 'trouble', ...trouble })}\n`)
      context.out(`${JSON.stringify({ event: 'verified', ...counted, troubles: troubles.length })}\n`)
    } else {
      for (const { file, says } of troubles) context.out(`${lineInWords(`${file}: ${says}`)}\n`)
      context.out(
        `Read ${logs} logs with ${events} events, and ${blobs} blobs: ${troubles.length} problems.\n`,
      )
    }
    if (troubles.length > 0)
      throw new Trouble(
        'failed',
        `${data} is damaged or incomplete.`,
        'Restore the named files from a backup. A blob is also repaired when a client uploads it again.',
      )
  })
