import express from 'express';
import { Contract, JsonRpcProvider, NonceManager, Wallet } from 'ethers';
import { managedErc20Abi } from '../../generated/contracts.ts';

/**
 * A first attempt: Express and ethers, one transaction a request, a nonce counter in memory, nothing stored.
 * The token's owner is the signer. Arguments: RPC URL, private key, token address. Returns once the node took the
 * transaction; prints its port.
 */
const [rpcUrl = '', privateKey = '', address = ''] = process.argv.slice(2);
const provider = new JsonRpcProvider(rpcUrl, undefined, { staticNetwork: true });
const signer = new NonceManager(new Wallet(privateKey, provider));
const token = new Contract(address, managedErc20Abi, signer);
const gasLimit = 120_000n;

const app = express();
app.use(express.json());
app.post('/mint', async (request, response) => {
  const { owner, amount } = request.body as { owner: string; amount: string };
  const sent = (await token.getFunction('mint')(owner, amount, { gasLimit })) as { hash: string };
  response.status(202).json({ hash: sent.hash });
});
const server = app.listen(0, '127.0.0.1', () => {
  const bound = server.address();
  if (bound && typeof bound === 'object') console.log(`port ${bound.port}`);
});
