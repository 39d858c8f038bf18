import { splitFiles } from '@farhand/protocol/compatibility/split-files'
import type { LogChunk } from '../../log/event-log.ts'
import {
  decodeLine,
  endOfNotification,
  isByRunner,
  isMark,
  notificationOffset,
} from '../../log/stored-line.ts'

export type FrameChoice = {
  /** What follows `data:`: the bare notification, or the whole stored line (W17). */
  envelope: 'bare' | 'stored'
  /** `agent` leaves out what runners wrote, except turn markers; the result may be empty. */
  to: 'everyone' | 'agent'
  /** `apart`: one frame per path, as seeds 000 and 001 define file events; only the last frame carries the event id (W60). */
  files: 'apart' | 'together'
  /** Whether to wrap it as one chunk of a response in chunked encoding. */
  chunked: boolean
  /** Whether to wrap it as one WebSocket message. */
  isSocket?: boolean
}

const lineFeed = 0x0a
const comma = 0x2c
const idAt = '{"id":'.length
const beforeId = Buffer.from('id: ')
const beforeData = Buffer.from('\ndata: ')
/** Space for the chunk size, which is known last and stands first: 8 hex digits and a line end. A WebSocket header needs as much. */
const sizeRoom = 10
const chunkEnd = 2

/** The server-sent events for a chunk of the log, in one buffer (W17): in `into` if it is large enough. */
export function frames(chunk: LogChunk, choice: FrameChoice, into?: Buffer): Buffer {
  if (choice.files === 'apart' && chunk.bytes.includes(severalFiles)) return framesApart(chunk, choice)
  const { bytes, firstId, lastId } = chunk
  const whole = choice.envelope === 'stored'
  const forAgent = choice.to === 'agent'
  // A bare frame is always shorter than its line; a whole one adds the id and the field names.
  const added = beforeId.length + String(lastId).length + beforeData.length + 1
  const room = bytes.length + (whole ? (lastId - firstId + 1) * added : 0)
  const needed = sizeRoom + room + chunkEnd
  const out = into && into.length >= needed ? into : roomFor(needed, chunk.passing)
  let to = sizeRoom
  for (let line = 0; line < bytes.length; ) {
    const end = bytes.indexOf(lineFeed, line)
    const cut = whole && !forAgent ? end : endOfNotification(bytes, end)
    const next = end + 1
    if (forAgent && isByRunner(bytes, cut) && !isMark(bytes, notificationAt(bytes, line))) {
      line = next
      continue
    }
    // Byte by byte: for so few bytes a call into the runtime costs more than the copy (measured: 3x).
    for (let i = 0; i < beforeId.length; i += 1) out[to++] = beforeId[i]!
    let from = line + idAt
    for (let digit = bytes[from]!; digit !== comma; digit = bytes[++from]!) out[to++] = digit
    for (let i = 0; i < beforeData.length; i += 1) out[to++] = beforeData[i]!
    to += whole ? bytes.copy(out, to, line, end) : bytes.copy(out, to, from + notificationOffset, cut)
    out[to++] = lineFeed
    out[to++] = lineFeed
    line = next
  }
  return wrapped(out, to, choice)
}

// Finds chunks with file events of several files without parsing each line.
const severalFiles = Buffer.from('"files":[')

/** As `frames`, with one frame per path. It parses each event, so it is used only where file events are present. */
function framesApart({ bytes }: LogChunk, choice: FrameChoice): Buffer {
  let text = ''
  for (let line = 0; line < bytes.length; ) {
    const end = bytes.indexOf(lineFeed, line)
    const cut = endOfNotification(bytes, end)
    const isLeftOut =
      choice.to === 'agent' && isByRunner(bytes, cut) && !isMark(bytes, notificationAt(bytes, line))
    if (!isLeftOut) text += eventText(bytes.toString('utf8', line, end), choice)
    line = end + 1
  }
  return aside(text, choice)
}

/** The frames of one stored line. */
export function eventText(
  line: string,
  { envelope, files }: Pick<FrameChoice, 'envelope' | 'files'>,
): string {
  const event = decodeLine(line)
  if (!event) throw new Error('a line of the log cannot be read')
  const { id, notification } = event
  const parts = files === 'apart' ? splitFiles(notification) : [notification]
  return parts
    .map((part, index) => {
      const named = index === parts.length - 1 ? `id: ${id}\n` : ''
      const data = envelope === 'bare' ? part : { ...event, notification: part }
      return `${named}data: ${JSON.stringify(data)}\n\n`
    })
    .join('')
}

const notificationAt = (bytes: Buffer, line: number) => bytes.indexOf(comma, line + idAt) + notificationOffset

// Small frames share Node's buffer pool, which is cheaper. A buffer that will be reused must be allocated separately.
function roomFor(bytes: number, own = false): Buffer {
  return own ? Buffer.allocUnsafeSlow(bytes) : Buffer.allocUnsafe(bytes)
}

/** Text of the hub's own between the frames, wrapped in the same way. */
export function aside(text: string, choice: Wrap): Buffer {
  const out = roomFor(sizeRoom + Buffer.byteLength(text) + chunkEnd)
  const to = sizeRoom + out.write(text, sizeRoom)
  return wrapped(out, to, choice)
}

type Wrap = Pick<FrameChoice, 'chunked' | 'isSocket'>

function wrapped(out: Buffer, to: number, { chunked, isSocket }: Wrap): Buffer {
  if (isSocket) return closeMessage(out, to)
  return chunked ? closeChunk(out, to) : out.subarray(sizeRoom, to)
}

/** Writes the chunk size before the content. Empty content stays empty, as an empty chunk would end the response. */
function closeChunk(out: Buffer, to: number): Buffer {
  if (to === sizeRoom) return out.subarray(0, 0)
  const size = `${(to - sizeRoom).toString(16)}\r\n`
  const from = sizeRoom - size.length
  out.write(size, from, 'latin1')
  out.write('\r\n', to, 'latin1')
  return out.subarray(from, to + chunkEnd)
}

/** Writes the header of a WebSocket message before the content: binary, complete, and unmasked as from a server. */
function closeMessage(out: Buffer, to: number): Buffer {
  const length = to - sizeRoom
  if (length === 0) return out.subarray(0, 0)
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const from = sizeRoom - head
  out[from] = 0x82
  out[from + 1] = head === 2 ? length : head === 4 ? 126 : 127
  if (head === 4) out.writeUInt16BE(length, from + 2)
  if (head === 10) out.writeBigUInt64BE(BigInt(length), from + 2)
  return out.subarray(from, to)
}
