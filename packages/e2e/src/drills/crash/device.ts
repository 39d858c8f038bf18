import { DeviceId } from '@farhand/protocol/wire/ids'
import type { Stage } from './stage.ts'
import { StampedWriter } from './stamped-writer.ts'

/** A device: writes, at times leaves a gap or comes back in a new epoch. */
export async function writeAsDevice(stage: Stage, name: string): Promise<void> {
  const dice = stage.dice.fork()
  const writer = new StampedWriter(stage, {
    name,
    method: '_drill/note',
    producer: 'notes',
    epoch: 0,
    headers: { 'Device-Id': DeviceId.parse(`dev_${name}00000000`) },
  })
  while (!stage.closing) {
    if (!(await writer.write())) throw new Error('a device has no rival')
    if (dice.chance(0.03)) await writer.leaveGap()
    if (dice.chance(0.02)) await writer.beginEpoch()
  }
  await writer.finish()
}
