import { z } from 'zod'
import { DeviceId, RunId } from '../wire/ids.ts'

export const SessionIdHeader = z.object({
  'Session-Id': RunId.optional().describe('If sent, it must be the run of the path (W13).'),
})

export const DeviceHeader = z.object({
  'Device-Id': DeviceId.optional().describe(
    'The device that sends the request; without it, it counts as the web.',
  ),
})

export const DeviceLifeHeader = z.object({
  'Device-Life': z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe('The life of the device: the hub refuses lives with a lower number (W34).'),
})

export const IdempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/)
    .optional()
    .describe(
      'A request with the same key and body is carried out once and gets the same answer; another body is refused (W9).',
    ),
})

export const ProducerHeaders = z.object({
  'Producer-Id': z.string().min(1).max(100).optional().describe('All three producer headers, or none (W7).'),
  'Producer-Epoch': z.number().int().nonnegative().optional().describe('For a runner: its generation.'),
  'Producer-Seq': z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe('The seq of the first event in the body.'),
})

export const StreamHeaders = z.object({
  'Last-Event-ID': z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe('Continue with the event after this one.'),
})
