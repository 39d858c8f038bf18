import { once } from 'node:events'
import type { Children } from '../children.ts'

/** Runs a command that copies and ends; gives its milliseconds from the start to the end. */
export async function commandMs(
  children: Children,
  command: string,
  args: readonly string[],
): Promise<number> {
  const started = performance.now()
  const child = children.start(command, args)
  const [code] = await once(child.process, 'exit')
  const ms = performance.now() - started
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${child.output().slice(-300).trim()}`)
  return ms
}
