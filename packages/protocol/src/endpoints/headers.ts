import { z } from 'zod'
import { DeviceId, RunId } from '../wire/ids.ts'

export const SessionIdHeader = z.object({
  'Session-Id': RunId.optional().describe('Where sent, it must be the run of the path (W13).'),
})

export const DeviceHeader = z.object({
  'Device-Id': DeviceId.optional().describe('The device of the user that speaks; without it the web does.'),
})

export const DeviceLifeHeader = z.object({
  'Device-Life': z
    .number()
    .int()
    .nonnegative()
    .optional()
    .describe('Which life of the device this is: those with a lower number are shut out (W34).'),
})

export const IdempotencyHeader = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/)
    .optional()
    .describe('The same key and body give the same answer and are done once; another body is refused (W9).'),
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
