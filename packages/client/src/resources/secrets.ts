import { Ok } from '@farhand/protocol/schemas/api'
import { ListedSecret, type NewSecret, SecretPage } from '@farhand/protocol/schemas/secrets'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import { paths } from '@farhand/protocol/wire/routes'
import { type CallOptions, call } from '../requests/call.ts'
import { type Hub, jsonRequest } from '../requests/hub.ts'

/** Stores a secret under this name and replaces the one before. */
export function putSecret(
  hub: Hub,
  project: ProjectId,
  name: string,
  secret: NewSecret,
  options?: CallOptions,
): Promise<ListedSecret> {
  return call(hub, jsonRequest('PUT', paths.secret(project, name), secret), ListedSecret, options)
}

/** The secrets of a project by name; the hub never answers with their values. */
export async function listSecrets(
  hub: Hub,
  project: ProjectId,
  options?: CallOptions,
): Promise<ListedSecret[]> {
  return (await call(hub, { path: paths.secrets(project) }, SecretPage, options)).items
}

/** Deletes a secret. If the answer is lost, the repeated request finds none of that name. */
export async function deleteSecret(
  hub: Hub,
  project: ProjectId,
  name: string,
  options?: CallOptions,
): Promise<void> {
  await call(hub, { method: 'DELETE', path: paths.secret(project, name) }, Ok, options)
}
