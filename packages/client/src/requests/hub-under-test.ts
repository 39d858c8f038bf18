import { type Reply, type ScriptedHub, scriptedHub } from '@farhand/testkit/scripted-hub'
import { onTestFinished } from 'vitest'

/** A hub that gives these replies in turn, and is gone when the test is over. */
export async function hubThat(...replies: [Reply, ...Reply[]]): Promise<ScriptedHub> {
  const hub = await scriptedHub(...replies)
  onTestFinished(() => hub.close())
  return hub
}
