import type { DeviceAnswer } from '@farhand/device/device-process/device-protocol'
import {
  type EnsureDeviceOptions,
  ensureDevice,
  reviveDevice,
  warmDevice,
} from '@farhand/device/device-process/ensure-device'
import { backgroundEnvironment } from '@farhand/device/known-runs/background-environment'
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

export const reviveUserDevice = (state: string, context: CommandContext): void =>
  reviveDevice(optionsFor(state, context))

export const warmUserDevice = (state: string, context: CommandContext): { end(): void } =>
  warmDevice(optionsFor(state, context))
