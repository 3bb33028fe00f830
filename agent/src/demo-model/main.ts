import { createDemoModel } from './demo-model.ts';

const port = Number(process.env['PODWRIGHT_DEMO_MODEL_PORT'] ?? '8080');
const server = createDemoModel();
server.listen(port, () => console.log(JSON.stringify({ level: 'info', msg: 'demo model listens', port })));
process.on('SIGTERM', () => {
  server.close();
  server.closeIdleConnections();
});
