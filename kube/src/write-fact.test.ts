import { expect, test } from 'vitest';
import { RESOURCE, pathOf } from './resource.ts';
import { writeFact } from './write-fact.ts';

const apply = 'application/apply-patch+yaml';
const merge = 'application/merge-patch+json';
const named = { namespace: 'ns', name: 'a' };

test.each([
  ['POST', pathOf(RESOURCE.pods, { namespace: 'ns' }), undefined, 'create', 'pods'],
  ['POST', pathOf(RESOURCE.pods, { ...named, subresource: 'eviction' }), undefined, 'create', 'pods/eviction'],
  [
    'PATCH',
    pathOf(RESOURCE.browserSessions, { ...named, subresource: 'status' }),
    apply,
    'apply',
    'browsersessions/status',
  ],
  ['PATCH', pathOf(RESOURCE.browserTenants, { name: 'a' }), merge, 'patch', 'browsertenants'],
  ['PUT', pathOf(RESOURCE.leases, named), undefined, 'update', 'leases'],
  ['DELETE', pathOf(RESOURCE.networkPolicies, named), undefined, 'delete', 'networkpolicies'],
  ['DELETE', pathOf(RESOURCE.namespaces, { name: 'a' }), undefined, 'delete', 'namespaces'],
  ['POST', pathOf(RESOURCE.namespaces, {}), undefined, 'create', 'namespaces'],
])('%s %s is told by verb and resource', (method, path, contentType, verb, resource) => {
  expect(writeFact(method, path, contentType, 200)).toEqual({ verb, resource, code: 200 });
});
