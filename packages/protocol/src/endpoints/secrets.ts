import { Ok } from '../schemas/api.ts'
import { ListedSecret, NewSecret, SecretPage } from '../schemas/secrets.ts'
import { paths, type RunAddress } from '../wire/routes.ts'
import { type Endpoint, json, template } from './endpoint.ts'

const all = template((at: RunAddress) => paths.secrets(at.project))
const one = template((at: RunAddress) => paths.secret(at.project, '{name}'))

/** The secrets of a project (W41). */
export const secrets = {
  getSecrets: {
    method: 'GET',
    path: all,
    summary: 'List the secrets of a project: their names, never their values (W41)',
    who: 'user',
    // Their names and addresses are for those who may give them to runs.
    needs: 'work',
    answers: { 200: { says: 'All of them, on one page', bodies: json(SecretPage) } },
    faults: ['project.unknown'],
  },
  putSecret: {
    method: 'PUT',
    path: one,
    summary: 'Store a secret under this name, in place of the one before (W41)',
    who: 'user',
    needs: 'own',
    body: json(NewSecret),
    answers: { 200: { says: 'Stored', bodies: json(ListedSecret) } },
    faults: ['project.unknown', 'request.too-large', 'request.unsupported-type'],
  },
  deleteSecret: {
    method: 'DELETE',
    path: one,
    summary: 'Delete a secret (W41)',
    who: 'user',
    needs: 'own',
    answers: { 200: { says: 'Deleted', bodies: json(Ok) } },
    faults: ['project.unknown', 'secret.unknown'],
  },
} as const satisfies Record<string, Endpoint>
