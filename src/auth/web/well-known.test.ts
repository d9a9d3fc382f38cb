import { expect, test } from 'vitest';
import { issuerMetadataUrls } from './well-known.ts';

test.each([
  [
    'https://auth.example',
    [
      'https://auth.example/.well-known/oauth-authorization-server',
      'https://auth.example/.well-known/openid-configuration',
    ],
  ],
  [
    'https://auth.example/',
    [
      'https://auth.example/.well-known/oauth-authorization-server',
      'https://auth.example/.well-known/openid-configuration',
    ],
  ],
  [
    'https://auth.example/tenant/1',
    [
      'https://auth.example/.well-known/oauth-authorization-server/tenant/1',
      'https://auth.example/.well-known/openid-configuration/tenant/1',
      'https://auth.example/tenant/1/.well-known/openid-configuration',
    ],
  ],
])('the metadata of %s is requested in this order', (issuer, urls) => {
  expect(issuerMetadataUrls(issuer)).toEqual(urls);
});
