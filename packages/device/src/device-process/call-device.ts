import { lstatSync, readFileSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { z } from 'zod'
import { deviceFolder, deviceSocketFile } from './device-folder.ts'
import { DeviceAnswer, type DeviceRequest, deviceProtocolVersion, WatchEvent } from './device-protocol.ts'

type Ask<Name extends DeviceRequest['ask']> = Omit<Extract<DeviceRequest, { ask: Name }>, 'v'>

// The process answers from memory; one that is slower is treated as absent.
const patienceMs = 2_000

/** Sends a request to the device process of a state folder and returns its answer; null if none answers in time. */
export const askDevice = (
  state: string,
  request: Ask<'hello' | 'look' | 'stop' | 'settle'>,
  mostMs = patienceMs,
): Promise<DeviceAnswer | null> => firstLine(state, request, DeviceAnswer, mostMs)

/** The status of each folder that the device process keeps in sync; null if it does not answer. */
export async function folderStatuses(state: string) {
  const says = await firstLine(state, { ask: 'watch' }, WatchEvent, patienceMs)
  return says?.is === 'folders' ? says.folders : null
}

async function firstLine<Line>(
  state: string,
  request: Ask<DeviceRequest['ask']>,
  Line: z.ZodType<Line>,
  mostMs: number,
): Promise<Line | null> {
  return await new Promise((resolve) => {
    const call = callDevice(state, request, Line, {
      heard(line) {
        resolve(line)
        call?.end()
      },
      ended: () => resolve(null),
    })
    call?.socket.setTimeout(mostMs, () => call.end())
    if (!call) resolve(null)
  })
}

export type DeviceCall = { socket: Socket; end(): void }

/**
 * Sends a request and hears the lines that come back, until either side hangs up; null if there is no device process.
 * Lines of newer versions that this one does not know are left out.
 */
export function callDevice<Line>(
  state: string,
  request: Ask<DeviceRequest['ask']>,
  Line: z.ZodType<Line>,
  { heard, ended }: { heard: (line: Line) => void; ended: () => void },
): DeviceCall | null {
  const place = socketOf(state)
  if (place === null) return null
  const socket = connect(place)
  const lines = createInterface({ input: socket })
  socket.on('error', () => {})
  // The stream emits the same error again.
  lines.on('error', () => {})
  socket.on('close', ended)
  socket.on('connect', () => socket.write(`${JSON.stringify({ v: deviceProtocolVersion, ...request })}\n`))
  lines.on('line', (line) => {
    const known = Line.safeParse(parsed(line))
    if (known.success) heard(known.data)
  })
  return { socket, end: () => void socket.destroy() }
}

function socketOf(state: string): string | null {
  try {
    const place = readFileSync(deviceSocketFile(state), 'utf8')
    return isOfSameUser(place, state) ? place : null
  } catch {
    // There is no device process, or it is still starting.
    return null
  }
}

/** A killed process leaves its path: if that is in the folder for temporary files, another user may open a socket there. */
function isOfSameUser(place: string, state: string): boolean {
  if (process.platform === 'win32') return true
  const folder = lstatSync(path.dirname(place))
  return folder.isDirectory() && folder.uid === statSync(deviceFolder(state)).uid
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
