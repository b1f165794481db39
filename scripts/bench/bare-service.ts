import express from 'express';
import { middleware as createValidator } from 'express-openapi-validator';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import { readContract } from '../../src/http/document.ts';

/** One route of the contract behind the validator that the service uses, which returns a constant. Prints its port. */
const operation = readContract().operations.find(({ id }) => id === 'getToken')!;
const app = express();
app.get(
  operation.path,
  ...createValidator({
    apiSpec: structuredClone<unknown>(operation.document) as OpenAPIV3.DocumentV3,
    validateApiSpec: false,
    validateRequests: true,
    validateResponses: false,
    validateSecurity: false,
    fileUploader: false,
  }),
  (_request, response) => {
    response.json({
      address: '0x3440326f551B8A7ee198cEE35cb5D517f2d296a2',
      ...{ type: 'ERC20', name: 'Coin', symbol: 'C', decimals: 18, totalSupply: '1', paused: false },
    });
  },
);
const server = app.listen(0, '127.0.0.1', () => {
  const bound = server.address();
  if (bound && typeof bound === 'object') console.log(`port ${bound.port}`);
});
