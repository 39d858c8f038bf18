import type { CommandContext } from '../../context/command-context.ts'
import { whileWaiting } from '../../terminal/printing/while-waiting.ts'

/** What a scan of a folder needs: when it ends, and how the user sees that it takes long. */
export const scanOptions = (context: CommandContext) => ({
  stop: context.stop,
  whileScanning: <Result>(act: () => Promise<Result>) => whileWaiting('looking at the folder', context, act),
})
