import { BackgroundLinks } from '@farhand/device/device-process/background-links'
import { callDevice } from '@farhand/device/device-process/call-device'
import { deviceFolder } from '@farhand/device/device-process/device-folder'
import { DeviceAnswer } from '@farhand/device/device-process/device-protocol'
import {
  type EnsureDeviceOptions,
  ensureDevice,
  startDevice,
} from '@farhand/device/device-process/ensure-device'
import { backgroundEnvironment } from '@farhand/device/known-runs/background-environment'
import { readServeSettings } from '@farhand/device/request-serving/serve-settings'
import { lockHolder } from '@farhand/sync/state/lock-state'
import { StateFolder } from '@farhand/sync/state/state-folder'
import type { CommandContext } from '../../context/command-context.ts'
import { version } from '../../context/version.ts'

const optionsFor = (state: string, { self, env, note }: CommandContext): EnsureDeviceOptions => ({
  ...{ state, version, self },
  env: backgroundEnvironment(undefined, env),
  onReplaced: (old) =>
    note(`The background process of Farhand ${old.version} gives way to that of ${version}.\n`),
})

/** The device process of this state folder, started if none runs; null if it cannot be started. */
export const ensureUserDevice = (state: string, context: CommandContext): Promise<DeviceAnswer | null> =>
  ensureDevice(optionsFor(state, context))

/** Starts the device process if it was killed while folders were to be kept in sync, or requests to be answered. */
export function reviveUserDevice(state: string, context: CommandContext): void {
  if (lockHolder(deviceFolder(state)) !== null) return
  const isLive = new BackgroundLinks(new StateFolder(state)).all().some(({ kept }) => kept.is === 'live')
  if (isLive || readServeSettings(state)?.isOn) startDevice(optionsFor(state, context))
}

/** Has the device process start while this command prepares a link, and has it wait for that until `end` is called. */
export function warmUserDevice(state: string, context: CommandContext): { end(): void } {
  let isOver = false
  let end = () => {}
  const hold = async () => {
    if ((await ensureUserDevice(state, context)) === null || isOver) return
    const call = callDevice(state, { ask: 'hello' }, DeviceAnswer, { heard() {}, ended() {} })
    call?.socket.unref()
    end = () => call?.end()
  }
  // The command that links the folder says what is wrong.
  void hold().catch(() => {})
  return {
    end() {
      isOver = true
      end()
    },
  }
}
