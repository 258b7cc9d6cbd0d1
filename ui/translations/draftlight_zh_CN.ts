<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>cards</name>
    <message>
        <source>Write again</source>
        <translation>重新写</translation>
    </message>
    <message>
        <source>Use ChatML</source>
        <translation>使用 ChatML</translation>
    </message>
    <message>
        <source>Use plain text</source>
        <translation>使用纯文本</translation>
    </message>
    <message>
        <source>Try the starter pair</source>
        <translation>试试入门模型对</translation>
    </message>
    <message>
        <source>Load again</source>
        <translation>重新加载</translation>
    </message>
    <message>
        <source>Write without draft</source>
        <translation>不用草稿模型</translation>
    </message>
    <message>
        <source>Use what fits</source>
        <translation>使用可行的设置</translation>
    </message>
    <message>
        <source>Load anyway</source>
        <translation>仍然加载</translation>
    </message>
    <message>
        <source>Open GGUF files…</source>
        <translation>打开 GGUF 文件…</translation>
    </message>
    <message>
        <source>Load options…</source>
        <translation>加载选项…</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Keep it on</source>
        <translation>保持开启</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>忽略</translation>
    </message>
    <message>
        <source>No pair is loaded</source>
        <translation>未加载模型对</translation>
    </message>
    <message>
        <source>Load one to go on; your chats stay.</source>
        <translation>加载一对模型即可继续；对话会保留。</translation>
    </message>
    <message>
        <source>A reply may run out of memory: close other programs, or load the pair with a shorter context.</source>
        <translation>生成回复时内存可能耗尽：请关闭其他程序，或以更短的上下文重新加载模型对。</translation>
    </message>
    <message>
        <source>Memory is running short</source>
        <translation>内存即将不足</translation>
    </message>
    <message>
        <source>Speculation is not running</source>
        <translation>推测解码未运行</translation>
    </message>
    <message>
        <source>The draft is not at work</source>
        <translation>草稿模型未参与</translation>
    </message>
    <message>
        <source>It is tried again now and then. A fixed draft length keeps it on, even where it makes replies slower.</source>
        <translation>程序会不时再试。固定草稿长度可让它保持开启，即使回复会因此变慢。</translation>
    </message>
    <message>
        <source>Speculation rested in this reply</source>
        <translation>推测解码在这条回复中休息</translation>
    </message>
    <message>
        <source>Speculation is off for a while</source>
        <translation>推测解码暂时停用</translation>
    </message>
    <message>
        <source>Its rounds took far longer than predicted. Another program may be keeping the same device busy: close it. If this comes again, choose a smaller draft. It is tried once more after some tokens.</source>
        <translation>各轮耗时远超预测。可能有其他程序正占用同一设备：请将其关闭。若再次出现，请选择更小的草稿模型。若干 token 之后会再次尝试。</translation>
    </message>
    <message>
        <source>Use a context of {ctx}</source>
        <translation>改用 {ctx} 的上下文</translation>
    </message>
    <message>
        <source>It was started again and the pair is loading.</source>
        <translation>引擎已重新启动，正在加载模型对。</translation>
    </message>
    <message>
        <source>It was started again and the pair is ready.</source>
        <translation>引擎已重新启动，模型对已就绪。</translation>
    </message>
    <message>
        <source>Its pair is not loaded now.</source>
        <translation>模型对现在没有加载。</translation>
    </message>
    <message>
        <source>The reply was cut after 1 token; nothing else is lost.</source>
        <translation>回复在 1 个 token 后中断；其他内容没有丢失。</translation>
    </message>
    <message>
        <source>The reply was cut after {tokens} tokens; nothing else is lost.</source>
        <translation>回复在 {tokens} 个 token 后中断；其他内容没有丢失。</translation>
    </message>
    <message>
        <source>The conversation is longer than the context ({ctx} tokens)</source>
        <translation>对话已超出上下文长度（{ctx} 个 token）</translation>
    </message>
    <message>
        <source>The oldest message was not sent to the model. It stays in the conversation.</source>
        <translation>最早的一条消息没有发送给模型，但仍保留在对话中。</translation>
    </message>
    <message>
        <source>The {dropped} oldest messages were not sent to the model. They stay in the conversation.</source>
        <translation>最早的 {dropped} 条消息没有发送给模型，但仍保留在对话中。</translation>
    </message>
    <message>
        <source>The prompt of {prompt} tokens and the reply of {reply} fill it, so the reply stops here. The next message goes on; a longer context holds more.</source>
        <translation>{prompt} 个 token 的提示词和 {reply} 个 token 的回复已占满上下文，回复到此为止。下一条消息可以继续；更长的上下文能容纳更多内容。</translation>
    </message>
    <message>
        <source>The context is full</source>
        <translation>上下文已满</translation>
    </message>
</context>
<context>
    <name>catalogue</name>
    <message>
        <source>small letters, digits, dots, dashes and underscores are expected</source>
        <translation>应为小写字母、数字、点、连字符和下划线</translation>
    </message>
    <message>
        <source>an owner and a name are expected, as in owner/name</source>
        <translation>应为“所有者/名称”的形式，如 owner/name</translation>
    </message>
    <message>
        <source>a commit or main is expected</source>
        <translation>应为某个提交或 main</translation>
    </message>
    <message>
        <source>letters, digits and underscores are expected, as in Q4_K_M</source>
        <translation>应为字母、数字和下划线，如 Q4_K_M</translation>
    </message>
    <message>
        <source>64 digits are expected, 0 to 9 and a to f</source>
        <translation>应为 64 位数字（0 到 9 和 a 到 f）</translation>
    </message>
    <message>
        <source>one line of text is expected, without invisible characters</source>
        <translation>应为一行文本，不含不可见字符</translation>
    </message>
</context>
<context>
    <name>chat_page</name>
    <message>
        <source>No pair is loaded. Load it again, then write again.</source>
        <translation>未加载模型对。请先重新加载，再重新生成。</translation>
    </message>
    <message>
        <source>The pair is still loading. Your message stays here; send it when it is ready.</source>
        <translation>模型对仍在加载。消息会留在这里，就绪后再发送。</translation>
    </message>
    <message>
        <source>No pair is loaded. Your message stays here.</source>
        <translation>未加载模型对。消息会留在这里。</translation>
    </message>
    <message>
        <source>A comparison is under way; Ctrl+. stops it. Your message stays here.</source>
        <translation>正在进行对比；按 Ctrl+. 可停止。你的消息会留在这里。</translation>
    </message>
    <message>
        <source>The reply is still being written. Your message stays here.</source>
        <translation>回复仍在生成。消息会留在这里。</translation>
    </message>
    <message>
        <source>A reply is being written in “{title}”; Ctrl+. stops it. Your message stays here.</source>
        <translation>“{title}”中正在生成回复，按 Ctrl+. 可停止。消息会留在这里。</translation>
    </message>
    <message>
        <source>Settings of the next replies</source>
        <translation>后续回复的设置</translation>
    </message>
    <message>
        <source>T {temperature} · draft auto</source>
        <translation>T {temperature} · 草稿自动</translation>
    </message>
    <message>
        <source>T {temperature} · draft {length}</source>
        <translation>温度 {temperature} · 草稿 {length}</translation>
    </message>
</context>
<context>
    <name>compare</name>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>On</source>
        <translation>开启</translation>
    </message>
    <message>
        <source>Ratio</source>
        <translation>比值</translation>
    </message>
    <message>
        <source>Tokens per second (median of {runs})</source>
        <translation>每秒 token 数（{runs} 次的中位数）</translation>
    </message>
    <message>
        <source>First token</source>
        <translation>首个 token</translation>
    </message>
    <message>
        <source>Target passes</source>
        <translation>目标模型计算次数</translation>
    </message>
    <message>
        <source>Guesses accepted</source>
        <translation>被接受的猜测</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>目标模型</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>draft length {length}, drafters {drafters}, rule {rule}, temperature {temperature}, seed {seed}, context {ctx}</source>
        <translation>草稿长度 {length}，猜测来源 {drafters}，规则 {rule}，温度 {temperature}，种子 {seed}，上下文 {ctx}</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>lookup</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>model</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>lookup, model</source>
        <translation>查找和草稿模型</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>Editing a file</source>
        <translation>修改文件</translation>
    </message>
    <message>
        <source>Translation</source>
        <translation>翻译</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Open chat</source>
        <translation>开放聊天</translation>
    </message>
    <message>
        <source>Story</source>
        <translation>故事</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Own prompt</source>
        <translation>自己的提示词</translation>
    </message>
    <message>
        <source>Both texts are identical, all {tokens} tokens.</source>
        <translation>两段文本完全相同，共 {tokens} 个 token。</translation>
    </message>
    <message>
        <source>The target keeps {now} % of the guesses; it kept {before} % before.</source>
        <translation>目标模型接受了 {now} % 的猜测，以前为 {before} %。</translation>
    </message>
    <message>
        <source>The engine is the same, {engine}.</source>
        <translation>引擎没有变化，仍为 {engine}。</translation>
    </message>
    <message>
        <source>The engine was {before} then and is {now} now.</source>
        <translation>引擎当时为 {before}，现在为 {now}。</translation>
    </message>
    <message>
        <source>{now} tokens/s with speculation are {percent} % less than the {before} of earlier runs with the same settings (median of {runs}).</source>
        <translation>使用推测解码时每秒 {now} 个 token，比相同设置下以往的 {before} 个（{runs} 次的中位数）少 {percent} %。</translation>
    </message>
    <message>
        <source>{ratio} on {what}, but {tokens} tokens are too short to tell.</source>
        <translation>{what}：{ratio}，但只有 {tokens} 个 token，太短，不足以判断。</translation>
    </message>
    <message>
        <source>Each ratio of a time or a speed is the median of the pairs&apos; ratios.</source>
        <translation>时间和速度的倍数都是各组倍数的中位数。</translation>
    </message>
    <message>
        <source>{ratio} on {what}, but the two speeds say the opposite: too noisy to tell. Measure with more repeats.</source>
        <translation>{what}：{ratio}，但两个速度表明的恰好相反，波动太大，无法判断，请增加重复次数。</translation>
    </message>
    <message>
        <source>{ratio} on {what}: too near to 1 for these runs to tell. Measure with more repeats.</source>
        <translation>{what}：{ratio}，与 1 太接近，这几次测量不足以判断，请增加重复次数。</translation>
    </message>
    <message>
        <source>stopped after {pairs} of {repeats}</source>
        <translation>{repeats} 次中完成 {pairs} 次后停止</translation>
    </message>
    <message>
        <source>Without speculation it lost {percent} %, so the computer is slower: look for heat, power saving and other programs.</source>
        <translation>不使用推测解码时也下降了 {percent} %，说明电脑变慢了：请检查过热、省电模式和其他程序。</translation>
    </message>
    <message>
        <source>{ratio} on {what}: leave it on auto.</source>
        <translation>{what}：{ratio}，保持自动即可。</translation>
    </message>
    <message>
        <source>{ratio} on {what}: guessing does not pay here, and auto keeps it off.</source>
        <translation>{what}：{ratio}，此处猜测不划算，自动模式已将其停用。</translation>
    </message>
    <message>
        <source>{ratio} on {what}: no gain and no loss. Auto may stay on.</source>
        <translation>{what}：{ratio}，没有收益也没有损失，可以保持自动。</translation>
    </message>
    <message>
        <source>{ratio} on {what}: slower than off. Switch it off for this kind of text.</source>
        <translation>{what}：{ratio}，比关闭时慢。这类文本请关闭推测解码。</translation>
    </message>
    <message>
        <source>{ratio} on {what}: this draft length pays.</source>
        <translation>{what}：{ratio}，这个草稿长度划算。</translation>
    </message>
    <message>
        <source>{ratio} on {what}: no gain and no loss with this draft length.</source>
        <translation>{what}：{ratio}，这个草稿长度没有收益也没有损失。</translation>
    </message>
    <message>
        <source>{ratio} on {what}: slower than off. Choose auto, or switch it off.</source>
        <translation>{what}：{ratio}，比关闭时慢。请选择自动，或将其关闭。</translation>
    </message>
    <message>
        <source>code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>JSON data</source>
        <translation>JSON 数据</translation>
    </message>
    <message>
        <source>an edited file</source>
        <translation>修改文件</translation>
    </message>
    <message>
        <source>a translation</source>
        <translation>翻译</translation>
    </message>
    <message>
        <source>a summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>open chat</source>
        <translation>开放聊天</translation>
    </message>
    <message>
        <source>a story</source>
        <translation>故事</translation>
    </message>
    <message>
        <source>a table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>this prompt</source>
        <translation>此提示词</translation>
    </message>
    <message>
        <source>After {index} equal tokens the same text is cut into other tokens.</source>
        <translation>前 {index} 个 token 相同，此后同样的文本被切分成了不同的 token。</translation>
    </message>
    <message>
        <source>After {index} equal tokens the text of off ends, and on goes on with “{on}”.</source>
        <translation>前 {index} 个 token 相同，此后关闭时的文本结束，开启时继续写“{on}”。</translation>
    </message>
    <message>
        <source>After {index} equal tokens the text of on ends, and off goes on with “{off}”.</source>
        <translation>前 {index} 个 token 相同，此后开启时的文本结束，关闭时继续写“{off}”。</translation>
    </message>
    <message>
        <source>After {index} equal tokens the texts part: off wrote “{off}”, on wrote “{on}”.</source>
        <translation>前 {index} 个 token 相同，此后两段文本分开：关闭时写“{off}”，开启时写“{on}”。</translation>
    </message>
    <message>
        <source>The rule draws anew with speculation, so both are equally right.</source>
        <translation>该规则在推测解码时会重新抽样，因此两者同样正确。</translation>
    </message>
    <message>
        <source>The target was far from a tie there, so rounding does not explain it.</source>
        <translation>目标模型在此处的两个选择相差很远，舍入误差无法解释。</translation>
    </message>
    <message>
        <source>The target had the two {gap} apart: a tie up to rounding, which any speculation may turn.</source>
        <translation>目标模型中两者仅相差 {gap}：在舍入误差内不分上下，任何推测解码都可能改变结果。</translation>
    </message>
    <message>
        <source>The target had the two {gap} apart, which is more than rounding explains.</source>
        <translation>目标模型中两者相差 {gap}，超出了舍入误差所能解释的范围。</translation>
    </message>
    <message>
        <source>A prompt to compare with…</source>
        <translation>用来对比的提示词……</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Prompts of several kinds</source>
        <translation>几类现成的提示词</translation>
    </message>
    <message>
        <source>Settings of the comparison</source>
        <translation>对比设置</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Picture (PNG)…</source>
        <translation>图片（PNG）……</translation>
    </message>
    <message>
        <source>Figures (JSON)…</source>
        <translation>数据（JSON）……</translation>
    </message>
    <message>
        <source>Table (Markdown)…</source>
        <translation>表格（Markdown）……</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>再次运行</translation>
    </message>
    <message>
        <source>Write the reply off and on, in turn (Enter)</source>
        <translation>轮流在关闭和开启推测解码时写同一回复（Enter）</translation>
    </message>
    <message>
        <source>Stop the comparison (Esc)</source>
        <translation>停止对比（Esc）</translation>
    </message>
    <message>
        <source>Picture (*.png)</source>
        <translation>图片 (*.png)</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>Export the comparison</source>
        <translation>导出对比结果</translation>
    </message>
    <message>
        <source>Earlier runs of this pair</source>
        <translation>这一对模型的历次对比</translation>
    </message>
    <message>
        <source>Nothing was measured with this pair yet. Run a comparison.</source>
        <translation>这一对模型还没有测量过。请运行一次对比。</translation>
    </message>
    <message>
        <source>No pair is loaded. What was measured with one is listed here.</source>
        <translation>没有加载模型。加载后，以前的测量结果会列在这里。</translation>
    </message>
    <message>
        <source>Date</source>
        <translation>日期</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>接受率</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>token 数</translation>
    </message>
    <message>
        <source>from {tokens} tokens</source>
        <translation>来自 {tokens} 个 token</translation>
    </message>
    <message>
        <source>YOUR OWN MIX, LAST 7 DAYS</source>
        <translation>你自己的文本，最近 7 天</translation>
    </message>
    <message>
        <source>Your own mix, last 7 days</source>
        <translation>你自己的文本，最近 7 天</translation>
    </message>
    <message>
        <source>Nothing yet with this pair.</source>
        <translation>这一对模型还没有数据。</translation>
    </message>
    <message>
        <source>What speculation brings on your own chats is added up here, by kind of text; the texts themselves are not kept.</source>
        <translation>推测解码在你自己的对话中带来的加速会按文本类型在此累计；文本本身不会保存。</translation>
    </message>
    <message>
        <source>{kind}, fixed length</source>
        <translation>{kind}，固定长度</translation>
    </message>
    <message>
        <source>{ratio} · auto kept it off {share} % of the time</source>
        <translation>{ratio} · 自动模式有 {share} % 的时间让它休息</translation>
    </message>
    <message>
        <source>There is nothing to compare with this target</source>
        <translation>这个目标模型没有可对比的内容</translation>
    </message>
    <message>
        <source>This pair was faster before</source>
        <translation>这一对模型以前更快</translation>
    </message>
    <message>
        <source>The pair is still loading. Run it when it is ready.</source>
        <translation>模型还在加载。请在就绪后运行。</translation>
    </message>
    <message>
        <source>The draft length is set to 0, which is off; “on” is measured with auto.</source>
        <translation>草稿长度设为 0，即关闭；“开启”一侧改用自动长度测量。</translation>
    </message>
    <message>
        <source>Nothing was written. Make room, or export it to another disk.</source>
        <translation>没有写入任何内容。请腾出空间，或导出到另一个磁盘。</translation>
    </message>
    <message>
        <source>The folder {folder} is not there. Nothing was written; make it, or export to another folder.</source>
        <translation>文件夹 {folder} 不存在，什么也没有写入。请先创建它，或导出到其他文件夹。</translation>
    </message>
    <message>
        <source>It could not be written in {folder}: {reason}. Nothing was written; export it to another folder or under another name.</source>
        <translation>无法在 {folder} 中写入：{reason}。什么也没有写入，请导出到其他文件夹，或换一个名称。</translation>
    </message>
    <message>
        <source>No pair is loaded.</source>
        <translation>没有加载模型。</translation>
    </message>
    <message>
        <source>A reply is being written in a chat; Ctrl+. stops it.</source>
        <translation>对话中正在写回复；按 Ctrl+. 可停止。</translation>
    </message>
    <message>
        <source>Your last message</source>
        <translation>你的上一条消息</translation>
    </message>
    <message>
        <source>Stopped before anything was measured.</source>
        <translation>已停止，还没有测量到任何结果。</translation>
    </message>
    <message>
        <source>Saved as {file}</source>
        <translation>已保存为 {file}</translation>
    </message>
    <message>
        <source>This side is written without speculation.</source>
        <translation>这一侧不使用推测解码。</translation>
    </message>
    <message>
        <source>Reply with speculation</source>
        <translation>开启推测解码的回复</translation>
    </message>
    <message>
        <source>Reply without speculation</source>
        <translation>关闭推测解码的回复</translation>
    </message>
    <message>
        <source>T {temperature} · seed {seed} · {tokens} tokens · 1 run</source>
        <translation>温度 {temperature} · 种子 {seed} · {tokens} 个 token · 1 次</translation>
    </message>
    <message>
        <source>T {temperature} · seed {seed} · {tokens} tokens · {runs} runs</source>
        <translation>温度 {temperature} · 种子 {seed} · {tokens} 个 token · {runs} 次</translation>
    </message>
    <message>
        <source>The same on both sides, so the texts are too</source>
        <translation>两侧相同，因此文本也相同</translation>
    </message>
    <message>
        <source>Of each reply; short ones tell little</source>
        <translation>每个回复的上限；太短则说明不了什么</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>次数</translation>
    </message>
    <message>
        <source>Of each side, in turn, after a warm-up of each</source>
        <translation>每侧轮流测量的次数，之前各预热一次</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Show it</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Scroll both texts to the first difference</source>
        <translation>将两侧文本滚动到第一处差异</translation>
    </message>
    <message>
        <source>The texts are still being written; it can be shown once the comparison has ended</source>
        <translation>文本仍在生成；对比结束后即可显示</translation>
    </message>
    <message>
        <source>Earlier runs</source>
        <translation>历次对比</translation>
    </message>
    <message>
        <source>What was measured with this pair before</source>
        <translation>这一对模型以前的测量结果</translation>
    </message>
    <message>
        <source>warm-up</source>
        <translation>预热</translation>
    </message>
    <message>
        <source>run {number} of {count}</source>
        <translation>第 {number} 次，共 {count} 次</translation>
    </message>
    <message>
        <source>target alone, cold cache</source>
        <translation>仅目标模型，冷缓存</translation>
    </message>
    <message>
        <source>lookup alone, cold cache</source>
        <translation>仅查找，冷缓存</translation>
    </message>
    <message>
        <source>draft {length}, cold cache</source>
        <translation>草稿 {length}，冷缓存</translation>
    </message>
    <message>
        <source>auto, cold cache</source>
        <translation>自动，冷缓存</translation>
    </message>
    <message>
        <source>auto, resting, cold cache</source>
        <translation>自动，休息中，冷缓存</translation>
    </message>
    <message>
        <source>auto, draft {length}, cold cache</source>
        <translation>自动，草稿 {length}，冷缓存</translation>
    </message>
    <message>
        <source>reading the prompt…</source>
        <translation>正在读取提示词……</translation>
    </message>
    <message>
        <source>{share} % of the faster side&apos;s speed</source>
        <translation>较快一侧速度的 {share} %</translation>
    </message>
    <message>
        <source>{tokens} of at most {most} tokens</source>
        <translation>{tokens} 个 token，最多 {most} 个</translation>
    </message>
    <message>
        <source>Tokens per second</source>
        <translation>每秒 token 数</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Run writes the same reply off and on, in turn; the answer comes here.</source>
        <translation>运行后会轮流在关闭和开启推测解码时写同一回复；结论显示在这里。</translation>
    </message>
    <message>
        <source>The median of the pairs&apos; ratios; in brackets the slowest and the fastest run</source>
        <translation>各组倍数的中位数；括号内为最慢和最快的一次</translation>
    </message>
    <message>
        <source>From the request to the first token, with a cold cache</source>
        <translation>从请求到首个 token，冷缓存</translation>
    </message>
    <message>
        <source>How often the target was computed for one reply</source>
        <translation>写一个回复时目标模型计算了多少次</translation>
    </message>
    <message>
        <source>identical, all {tokens} tokens</source>
        <translation>完全相同，全部 {tokens} 个 token</translation>
    </message>
    <message>
        <source>same</source>
        <translation>相同</translation>
    </message>
    <message>
        <source>differs from token {number} on</source>
        <translation>从第 {number} 个 token 起不同</translation>
    </message>
    <message>
        <source>a tie</source>
        <translation>平局</translation>
    </message>
    <message>
        <source>by chance</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>differs</source>
        <translation>不同</translation>
    </message>
</context>
<context>
    <name>conversations</name>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Name of the chat</source>
        <translation>对话名称</translation>
    </message>
    <message>
        <source>Chat deleted</source>
        <translation>对话已删除</translation>
    </message>
    <message>
        <source>Search chats…</source>
        <translation>搜索对话…</translation>
    </message>
    <message>
        <source>Search chats</source>
        <translation>搜索对话</translation>
    </message>
    <message>
        <source>New chat (Ctrl+N)</source>
        <translation>新对话 (Ctrl+N)</translation>
    </message>
    <message>
        <source>Chats</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>just now</source>
        <translation>刚刚</translation>
    </message>
    <message>
        <source>{n} min ago</source>
        <translation>{n} 分钟前</translation>
    </message>
    <message>
        <source>{n} h ago</source>
        <translation>{n} 小时前</translation>
    </message>
    <message>
        <source>{n} d ago</source>
        <translation>{n} 天前</translation>
    </message>
</context>
<context>
    <name>cost_curve</name>
    <message>
        <source>Cost of checking tokens at once</source>
        <translation>一次检查多个 token 的开销</translation>
    </message>
    <message>
        <source>1 token: {time}</source>
        <translation>1 个 token：{time}</translation>
    </message>
    <message>
        <source>{tokens} tokens at once: {time}, {ratio}× one token</source>
        <translation>一次 {tokens} 个 token：{time}，是单个 token 的 {ratio} 倍</translation>
    </message>
    <message>
        <source>chosen: {length}</source>
        <translation>已选：{length}</translation>
    </message>
    <message>
        <source>A pass of the draft: {time}</source>
        <translation>草稿模型的一次计算：{time}</translation>
    </message>
</context>
<context>
    <name>dialogs</name>
    <message>
        <source>Copy report</source>
        <translation>复制报告</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Use this file as the draft for {target}?</source>
        <translation>将此文件用作 {target} 的草稿模型吗？</translation>
    </message>
    <message>
        <source>Use as draft</source>
        <translation>用作草稿模型</translation>
    </message>
    <message>
        <source>Open as target</source>
        <translation>作为目标模型打开</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>This cannot be loaded</source>
        <translation>无法加载此文件</translation>
    </message>
    <message>
        <source>Drop one or two GGUF files: a target, or a target and its draft.</source>
        <translation>请拖入一个或两个 GGUF 文件：一个目标模型，或一个目标模型及其草稿模型。</translation>
    </message>
</context>
<context>
    <name>downloads</name>
    <message>
        <source>it sends to an address that is not safe</source>
        <translation>重定向到不安全的地址</translation>
    </message>
    <message>
        <source>it sent other bytes than those that were asked for</source>
        <translation>发来的字节并非所请求的部分</translation>
    </message>
    <message>
        <source>something that is no file has this name</source>
        <translation>此名称已被占用，且不是文件</translation>
    </message>
</context>
<context>
    <name>drafts</name>
    <message>
        <source>can draft</source>
        <translation>可以起草</translation>
    </message>
    <message>
        <source>cannot draft</source>
        <translation>不能起草</translation>
    </message>
    <message>
        <source>same {shared} tokens; {masked} differ</source>
        <translation>同为 {shared} 个 token；{masked} 个不同</translation>
    </message>
    <message>
        <source>same {shared} tokens; {masked} differ and are not proposed</source>
        <translation>同为 {shared} 个 token；{masked} 个不同，不会提议</translation>
    </message>
    <message>
        <source>{draft_size} tokens against {target_size}; {masked} of the {shared} that both have differ and are not proposed</source>
        <translation>{draft_size} 个 token，目标模型为 {target_size} 个；共有的 {shared} 个中有 {masked} 个不同，不会提议</translation>
    </message>
    <message>
        <source>{draft_size} tokens against {target_size}; the {shared} that both have are the same</source>
        <translation>{draft_size} 个 token，目标模型为 {target_size} 个；共有的 {shared} 个相同</translation>
    </message>
    <message>
        <source>it begins texts in another way, so it may guess worse</source>
        <translation>文本的起始方式不同，可能猜得较差</translation>
    </message>
    <message>
        <source>it is as large as the target, so it would not be faster</source>
        <translation>与目标模型一样大，不会更快</translation>
    </message>
    <message>
        <source>needs its own target’s hidden state; it only works with {owner}</source>
        <translation>需要专属目标模型的隐藏状态；只能与 {owner} 一起使用</translation>
    </message>
    <message>
        <source>needs its own target’s hidden state; it only works with the model that it was trained for</source>
        <translation>需要专属目标模型的隐藏状态；只能与训练时所针对的模型一起使用</translation>
    </message>
    <message>
        <source>there are no tokens to compare</source>
        <translation>没有可比较的 token</translation>
    </message>
    <message>
        <source>{draft_size} tokens against {target_size}: too many are unknown to one of the two</source>
        <translation>{draft_size} 个 token，目标模型为 {target_size} 个：有太多 token 只存在于其中一方</translation>
    </message>
    <message>
        <source>{differing} of {shared} tokens differ; first difference at id {token_id}: “{draft_text}” against “{target_text}”</source>
        <translation>{shared} 个 token 中有 {differing} 个不同；首个差异在编号 {token_id}：“{draft_text}”，目标模型为“{target_text}”</translation>
    </message>
    <message>
        <source>{draft_size} tokens against {target_size}; first difference at id {token_id}: “{draft_text}” against “{target_text}”</source>
        <translation>{draft_size} 个 token，目标模型为 {target_size} 个；首个差异在编号 {token_id}：“{draft_text}”，目标模型为“{target_text}”</translation>
    </message>
    <message>
        <source>{fallen_back} of {tensors} tensors have rows that do not divide into blocks of {file_type}; they become {types}, which is larger.</source>
        <translation>{tensors} 个张量中有 {fallen_back} 个的行长不能按 {file_type} 的块整除；这些张量改用更大的 {types}。</translation>
    </message>
</context>
<context>
    <name>first_start</name>
    <message>
        <source>Your model, in a higher gear</source>
        <translation>让你的模型换上高速挡</translation>
    </message>
    <message>
        <source>A small draft model guesses ahead, the large one checks. You read exactly what the large one would have written, sooner, and you see where every word came from.</source>
        <translation>小的草稿模型先行猜测，大模型负责核对。你读到的正是大模型会写出的内容，只是来得更快，还能看到每个词的来源。</translation>
    </message>
    <message>
        <source>JUST LOOK AROUND</source>
        <translation>先随便看看</translation>
    </message>
    <message>
        <source>SmolLM2 135M, twice</source>
        <translation>SmolLM2 135M，一式两份</translation>
    </message>
    <message>
        <source>A tiny pair that runs on any processor, for seeing how it works.</source>
        <translation>可在任何处理器上运行的微型模型对，用来了解工作原理。</translation>
    </message>
    <message>
        <source>Runs on the CPU</source>
        <translation>在 CPU 上运行</translation>
    </message>
    <message>
        <source>Try it</source>
        <translation>试一试</translation>
    </message>
    <message>
        <source>or</source>
        <translation>或者</translation>
    </message>
    <message>
        <source>choose a matched pair to download</source>
        <translation>选择一对匹配的模型下载</translation>
    </message>
    <message>
        <source>open GGUF files you already have</source>
        <translation>打开你已有的 GGUF 文件</translation>
    </message>
    <message>
        <source>; drop them anywhere in this window.</source>
        <translation>；也可以把文件拖到窗口的任意位置。</translation>
    </message>
    <message>
        <source>Looking at this computer…</source>
        <translation>正在检查这台电脑…</translation>
    </message>
    <message>
        <source>The engine stopped; a load starts it again</source>
        <translation>引擎已停止；加载模型时会重新启动</translation>
    </message>
    <message>
        <source>Engine with {backends}</source>
        <translation>引擎：{backends}</translation>
    </message>
    <message>
        <source>{size} free for models</source>
        <translation>可存放模型的空间 {size}</translation>
    </message>
    <message>
        <source>No device reported</source>
        <translation>未报告设备</translation>
    </message>
    <message>
        <source>{name}, {total}, {free} free</source>
        <translation>{name}，{total}，可用 {free}</translation>
    </message>
</context>
<context>
    <name>fit</name>
    <message>
        <source>Target KV cache, {ctx} tokens</source>
        <translation>目标模型 KV 缓存，{ctx} 个 token</translation>
    </message>
    <message>
        <source>Target weights</source>
        <translation>目标模型权重</translation>
    </message>
    <message>
        <source>Draft weights</source>
        <translation>草稿模型权重</translation>
    </message>
    <message>
        <source>Draft KV cache</source>
        <translation>草稿模型 KV 缓存</translation>
    </message>
    <message>
        <source>Compute buffers, both</source>
        <translation>计算缓冲区（两个模型）</translation>
    </message>
    <message>
        <source>Compute buffers</source>
        <translation>计算缓冲区</translation>
    </message>
    <message>
        <source>Output buffers</source>
        <translation>输出缓冲区</translation>
    </message>
    <message>
        <source>The engine itself</source>
        <translation>引擎自身</translation>
    </message>
    <message>
        <source>Other programs now</source>
        <translation>其他程序当前占用</translation>
    </message>
    <message>
        <source>Safety margin</source>
        <translation>安全余量</translation>
    </message>
    <message>
        <source>Needed</source>
        <translation>共需</translation>
    </message>
    <message>
        <source>{needed} of {total}</source>
        <translation>{needed} / {total}</translation>
    </message>
    <message>
        <source>this computer&apos;s memory</source>
        <translation>本机内存</translation>
    </message>
    <message>
        <source>Fits at {asked}</source>
        <translation>{asked} 时放得下</translation>
    </message>
    <message>
        <source>Fits, up to {largest}</source>
        <translation>放得下，最大 {largest}</translation>
    </message>
    <message>
        <source>Not at {asked}; {largest} fits</source>
        <translation>{asked} 不行；{largest} 放得下</translation>
    </message>
    <message>
        <source>Tight at {asked}</source>
        <translation>{asked} 时吃紧</translation>
    </message>
    <message>
        <source>Too big by {size} at {asked}</source>
        <translation>{asked} 时超出 {size}</translation>
    </message>
    <message>
        <source>It fits with a context of {ctx} tokens.</source>
        <translation>上下文为 {ctx} 个 token 时放得下。</translation>
    </message>
    <message>
        <source>It is tight with a context of {ctx} tokens: {size} of the safety margin are missing, and memory may run out while a reply is written.</source>
        <translation>上下文为 {ctx} 个 token 时吃紧：安全余量还差 {size}，生成回复时内存可能耗尽。</translation>
    </message>
    <message>
        <source>The target was trained with {largest} tokens; beyond them its text gets worse.</source>
        <translation>目标模型的训练长度为 {largest} 个 token；超出后文本质量会下降。</translation>
    </message>
    <message>
        <source>Up to {largest} tokens fit.</source>
        <translation>最多放得下 {largest} 个 token。</translation>
    </message>
    <message>
        <source>{fitting} of {layers} layers would fit on the graphics cards.</source>
        <translation>{layers} 层中有 {fitting} 层可放进各显卡。</translation>
    </message>
    <message>
        <source>{fitting} of {layers} layers would fit on the graphics card.</source>
        <translation>{layers} 层中有 {fitting} 层可放在显卡上。</translation>
    </message>
    <message>
        <source>Measured by llama.cpp from the files&apos; headers.</source>
        <translation>由 llama.cpp 根据文件头测得。</translation>
    </message>
    <message>
        <source>Estimated from the files&apos; headers.</source>
        <translation>根据文件头估算。</translation>
    </message>
    <message>
        <source>Nothing has been downloaded yet.</source>
        <translation>尚未下载任何文件。</translation>
    </message>
    <message>
        <source>The draft has not been downloaded yet.</source>
        <translation>草稿模型尚未下载。</translation>
    </message>
    <message>
        <source>The target has not been downloaded yet.</source>
        <translation>目标模型尚未下载。</translation>
    </message>
    <message>
        <source>saves {size}</source>
        <translation>节省 {size}</translation>
    </message>
    <message>
        <source>Context {ctx}</source>
        <translation>上下文 {ctx}</translation>
    </message>
    <message>
        <source>KV cache {type}</source>
        <translation>KV 缓存 {type}</translation>
    </message>
    <message>
        <source>Read prompts in pieces of {size} tokens</source>
        <translation>提示词每次读取 {size} 个 token</translation>
    </message>
    <message>
        <source>{saves}, prompts take longer</source>
        <translation>{saves}，读取提示词更慢</translation>
    </message>
    <message>
        <source>{draft} as the draft</source>
        <translation>用 {draft} 作草稿模型</translation>
    </message>
    <message>
        <source>{saves}, fewer guesses are right</source>
        <translation>{saves}，猜对的更少</translation>
    </message>
    <message>
        <source>No draft</source>
        <translation>不用草稿模型</translation>
    </message>
    <message>
        <source>{saves}, no speculation</source>
        <translation>{saves}，没有推测解码</translation>
    </message>
    <message>
        <source>Experts in the computer&apos;s memory</source>
        <translation>专家权重放在本机内存</translation>
    </message>
    <message>
        <source>no layers on the GPU</source>
        <translation>GPU 上不放任何层</translation>
    </message>
    <message>
        <source>{fitting} of {layers} layers on the GPU</source>
        <translation>GPU 上放 {fitting} / {layers} 层</translation>
    </message>
    <message>
        <source>about {speed}× speed</source>
        <translation>速度约为原来的 {speed} 倍</translation>
    </message>
    <message>
        <source>Ways to make it fit</source>
        <translation>让它装得下的办法</translation>
    </message>
    <message>
        <source>Ways to need less</source>
        <translation>减少占用的办法</translation>
    </message>
    <message>
        <source>No settings make it fit. Choose a smaller model, or close other programs.</source>
        <translation>任何设置都装不下。请选择更小的模型，或关闭其他程序。</translation>
    </message>
    <message>
        <source>context {ctx}</source>
        <translation>上下文 {ctx}</translation>
    </message>
    <message>
        <source>flash attention {mode}</source>
        <translation>Flash Attention {mode}</translation>
    </message>
    <message>
        <source>prompts in pieces of {size} tokens</source>
        <translation>提示词每 {size} 个 token 一批</translation>
    </message>
    <message>
        <source>experts in the computer&apos;s memory</source>
        <translation>专家权重放在本机内存</translation>
    </message>
    <message>
        <source>no draft</source>
        <translation>不用草稿模型</translation>
    </message>
    <message>
        <source>The best that fits: {changes}.</source>
        <translation>放得下的最佳设置：{changes}。</translation>
    </message>
    <message>
        <source>With a context of {ctx} tokens it is too big by {size}, the margin included.</source>
        <translation>上下文为 {ctx} 个 token 时，连同安全余量超出 {size}。</translation>
    </message>
    <message>
        <source>Estimated: llama.cpp did not measure it, so it may not load either.</source>
        <translation>估算值：llama.cpp 未能测量，因此也可能无法加载。</translation>
    </message>
    <message>
        <source>saves {size}, not enough</source>
        <translation>节省 {size}，仍不够</translation>
    </message>
    <message>
        <source>{device} is not used: this build of the engine does not see it.</source>
        <translation>未使用 {device}：当前引擎版本检测不到它。</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver does not work: {detail}. Its cards are left out.</source>
        <translation>NVIDIA 驱动无法工作：{detail}。已略过其显卡。</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s driver does not answer. Its cards are left out; a restart may help.</source>
        <translation>NVIDIA 驱动没有响应。已略过其显卡；重启电脑可能有帮助。</translation>
    </message>
    <message>
        <source>A graphics card does not answer: {detail}. It is left out.</source>
        <translation>有一块显卡没有响应：{detail}。已略过该显卡。</translation>
    </message>
    <message>
        <source>Back to the settings above the table</source>
        <translation>恢复表格上方的设置</translation>
    </message>
    <message>
        <source>It also takes {size} of the computer&apos;s memory, which is free.</source>
        <translation>另需 {size} 的电脑内存，目前有空闲。</translation>
    </message>
    <message>
        <source>It is not known yet.</source>
        <translation>尚不清楚。</translation>
    </message>
    <message>
        <source>Its header is being fetched, some megabytes…</source>
        <translation>正在获取文件头（几 MB）…</translation>
    </message>
    <message>
        <source>It is being worked out…</source>
        <translation>正在计算…</translation>
    </message>
    <message>
        <source>Set for this one: {changes}.</source>
        <translation>仅对此项设置：{changes}。</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>not known yet</source>
        <translation>暂时未知</translation>
    </message>
    <message>
        <source>cannot be measured</source>
        <translation>无法测量</translation>
    </message>
    <message>
        <source>{fitting} of {layers} layers would fit</source>
        <translation>{layers} 层中可放下 {fitting} 层</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Memory, {size}</source>
        <translation>内存，{size}</translation>
    </message>
    <message>
        <source>Memory on {device}, {size}</source>
        <translation>{device} 的内存，{size}</translation>
    </message>
    <message>
        <source>WILL IT FIT?</source>
        <translation>放得下吗？</translation>
    </message>
    <message>
        <source>WILL IT FIT ON ITS OWN?</source>
        <translation>单独放得下吗？</translation>
    </message>
</context>
<context>
    <name>generation_settings</name>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
</context>
<context>
    <name>hub</name>
    <message>
        <source>it sends from one address to the next</source>
        <translation>不断重定向到其他地址</translation>
    </message>
    <message>
        <source>it points to the hub that it should stand for</source>
        <translation>又指回了本应由它代替的 Hub</translation>
    </message>
    <message>
        <source>the version that was asked for</source>
        <translation>所请求的版本</translation>
    </message>
    <message>
        <source>the answer is not what a hub sends; it may be a page that asks to sign in</source>
        <translation>响应不像来自 Hub，可能是要求登录的网页</translation>
    </message>
    <message>
        <source>it compresses what must not be compressed</source>
        <translation>压缩了不应压缩的内容</translation>
    </message>
    <message>
        <source>it sends to an address that is none</source>
        <translation>重定向到无效的地址</translation>
    </message>
    <message>
        <source>the answer does not end</source>
        <translation>响应一直不结束</translation>
    </message>
    <message>
        <source>The answer comes too slowly</source>
        <translation>响应太慢</translation>
    </message>
    <message>
        <source>Its certificate is not trusted here, or the connection is not a safe one</source>
        <translation>本机不信任其证书，或连接不安全</translation>
    </message>
    <message>
        <source>Its name is not known to the network</source>
        <translation>无法解析其域名</translation>
    </message>
    <message>
        <source>Nothing answers at its address</source>
        <translation>其地址上没有服务应答</translation>
    </message>
    <message>
        <source>It does not answer in time</source>
        <translation>响应超时</translation>
    </message>
    <message>
        <source>The proxy does not let the program through</source>
        <translation>代理服务器不允许本程序通过</translation>
    </message>
    <message>
        <source>The connection broke</source>
        <translation>连接已断开</translation>
    </message>
    <message>
        <source>There is no connection</source>
        <translation>没有网络连接</translation>
    </message>
    <message>
        <source>no known status</source>
        <translation>未知状态</translation>
    </message>
    <message>
        <source>another file has the same name but for small and capital letters</source>
        <translation>另有一个仅大小写不同的同名文件</translation>
    </message>
    <message>
        <source>not all of its parts are there</source>
        <translation>各部分不全</translation>
    </message>
    <message>
        <source>a piece of a file; all pieces must be joined before it can be used</source>
        <translation>文件的一段；须将所有段合并后才能使用</translation>
    </message>
    <message>
        <source>the part of a model that sees pictures</source>
        <translation>模型的视觉部分</translation>
    </message>
    <message>
        <source>figures that helped to quantise the model, not a model</source>
        <translation>量化模型时所用的数据，并非模型</translation>
    </message>
    <message>
        <source>needs its own target&apos;s hidden state</source>
        <translation>需要专属目标模型的隐藏状态</translation>
    </message>
    <message>
        <source>it is not an owner and a name</source>
        <translation>不是“所有者/名称”的形式</translation>
    </message>
    <message>
        <source>it lies too deep</source>
        <translation>路径层级过深</translation>
    </message>
    <message>
        <source>it is not a GGUF file</source>
        <translation>不是 GGUF 文件</translation>
    </message>
    <message>
        <source>a part of it is empty</source>
        <translation>其中有一段为空</translation>
    </message>
    <message>
        <source>it has characters that are not allowed in names</source>
        <translation>含有名称中不允许的字符</translation>
    </message>
    <message>
        <source>it has invisible characters</source>
        <translation>含有不可见字符</translation>
    </message>
    <message>
        <source>it begins or ends with a dot or a blank</source>
        <translation>以点或空格开头或结尾</translation>
    </message>
    <message>
        <source>it is the name of a device</source>
        <translation>是系统的设备名</translation>
    </message>
    <message>
        <source>its file ends too early</source>
        <translation>文件过早结束</translation>
    </message>
    <message>
        <source>it sends another piece of the file</source>
        <translation>发来的是文件的另一段</translation>
    </message>
    <message>
        <source>The token</source>
        <translation>令牌</translation>
    </message>
    <message>
        <source>it is not a line of letters and digits, of a token&apos;s length</source>
        <translation>不是一行长度合乎令牌的字母和数字</translation>
    </message>
    <message>
        <source>it is no address of a hub: https:// or http:// and a host, without a password, a blank or a query</source>
        <translation>不是 Hub 地址：应为 https:// 或 http:// 加主机名，不含密码、空格或查询参数</translation>
    </message>
</context>
<context>
    <name>live_panel</name>
    <message>
        <source>Live panel</source>
        <translation>实时面板</translation>
    </message>
    <message>
        <source>LIVE</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>tok/s</translation>
    </message>
    <message>
        <source>KEPT BY DRAFT POSITION</source>
        <translation>各草稿位置的保留率</translation>
    </message>
    <message>
        <source>Kept by draft position</source>
        <translation>各草稿位置的保留率</translation>
    </message>
    <message>
        <source>Of the guesses at this position that were checked</source>
        <translation>占该位置上已检查的猜测的比例</translation>
    </message>
    <message>
        <source>WHERE A ROUND&apos;S TIME GOES</source>
        <translation>每轮耗时分布</translation>
    </message>
    <message>
        <source>COST OF CHECKING N TOKENS AT ONCE</source>
        <translation>一次检查 N 个 TOKEN 的开销</translation>
    </message>
    <message>
        <source>THIS REPLY</source>
        <translation>本次回复</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token 数</translation>
    </message>
    <message>
        <source>Accepted / resampled / bonus</source>
        <translation>接受 / 重采样 / 附赠</translation>
    </message>
    <message>
        <source>Tokens per round</source>
        <translation>每轮 token 数</translation>
    </message>
    <message>
        <source>First token</source>
        <translation>首个 token</translation>
    </message>
    <message>
        <source>Figures come with the first reply.</source>
        <translation>第一次回复后显示数据。</translation>
    </message>
    <message>
        <source>off measured here: {rate} tok/s</source>
        <translation>本机关闭时实测：{rate} tok/s</translation>
    </message>
    <message>
        <source>off not measured yet with this pair</source>
        <translation>此模型对尚未实测关闭时的速度</translation>
    </message>
    <message>
        <source>draft {share} %</source>
        <translation>草稿 {share} %</translation>
    </message>
    <message>
        <source>verify {share} %</source>
        <translation>验证 {share} %</translation>
    </message>
    <message>
        <source>sample {share} %</source>
        <translation>采样 {share} %</translation>
    </message>
    <message>
        <source>other {share} %</source>
        <translation>其他 {share} %</translation>
    </message>
</context>
<context>
    <name>load_options</name>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>The rest runs on the CPU</source>
        <translation>其余在 CPU 上运行</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Tokens of the whole conversation</source>
        <translation>整个对话的 token 数</translation>
    </message>
    <message>
        <source>Target layers on the GPU</source>
        <translation>GPU 上的目标模型层数</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>Smaller types save memory and cost a little accuracy</source>
        <translation>较小的类型节省内存，但会略微降低精度</translation>
    </message>
    <message>
        <source>Draft layers on the GPU</source>
        <translation>GPU 上的草稿模型层数</translation>
    </message>
    <message>
        <source>Flash attention</source>
        <translation>Flash Attention</translation>
    </message>
    <message>
        <source>Needed by quantised KV caches</source>
        <translation>量化的 KV 缓存需要它</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>线程数</translation>
    </message>
    <message>
        <source>Automatic takes the physical cores</source>
        <translation>自动时使用物理核心数</translation>
    </message>
    <message>
        <source>Prompts in pieces of</source>
        <translation>提示分段大小</translation>
    </message>
    <message>
        <source>Tokens computed at once; smaller pieces save memory, and prompts take longer</source>
        <translation>一次计算的 token 数；分段越小越省内存，读取提示也越慢</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>专家层</translation>
    </message>
    <message>
        <source>Of a mixture; in the computer&apos;s memory they leave room on the GPU and cost speed</source>
        <translation>用于混合专家模型；放在电脑内存中可给 GPU 腾出空间，但会降低速度</translation>
    </message>
    <message>
        <source>with layers</source>
        <translation>与层一起</translation>
    </message>
    <message>
        <source>in memory</source>
        <translation>在内存中</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开启</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>loading</name>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>加载中</translation>
    </message>
    <message>
        <source>Making the starter pair, once</source>
        <translation>正在制作入门模型对，仅此一次</translation>
    </message>
    <message>
        <source>Loading {name} again</source>
        <translation>正在重新加载 {name}</translation>
    </message>
    <message>
        <source>Loading {name}</source>
        <translation>正在加载 {name}</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Getting ready…</source>
        <translation>正在准备…</translation>
    </message>
    <message>
        <source>Measuring how fast the pair is…</source>
        <translation>正在测量模型对的速度…</translation>
    </message>
    <message>
        <source>{done} of {total} written</source>
        <translation>已写入 {done}，共 {total}</translation>
    </message>
    <message>
        <source>target ready, draft {done} of {total}</source>
        <translation>目标模型就绪，草稿模型 {done}，共 {total}</translation>
    </message>
    <message>
        <source>target {done} of {total}, then draft {draft}</source>
        <translation>目标模型 {done}，共 {total}，然后是草稿模型 {draft}</translation>
    </message>
    <message>
        <source>target {done} of {total}</source>
        <translation>目标模型 {done}，共 {total}</translation>
    </message>
    <message>
        <source> · {seconds} s left</source>
        <translation> · 剩余 {seconds} 秒</translation>
    </message>
</context>
<context>
    <name>main_window</name>
    <message>
        <source>Choose a draft</source>
        <translation>选择草稿模型</translation>
    </message>
    <message>
        <source>GGUF models (*.gguf)</source>
        <translation>GGUF 模型 (*.gguf)</translation>
    </message>
</context>
<context>
    <name>memory</name>
    <message>
        <source>Target KV cache</source>
        <translation>目标模型 KV 缓存</translation>
    </message>
    <message>
        <source>Buffers and the engine itself</source>
        <translation>缓冲区与引擎自身</translation>
    </message>
    <message>
        <source>among them {programs}</source>
        <translation>其中：{programs}</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>{size} of the safety margin are missing.</source>
        <translation>安全余量还差 {size}。</translation>
    </message>
    <message>
        <source>The engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Other programs</source>
        <translation>其他程序</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>{device} · {total} GB</source>
        <translation>{device} · {total} GB</translation>
    </message>
    <message>
        <source>{device} · {used} of {total} GB</source>
        <translation>{device} · {used} / {total} GB</translation>
    </message>
    <message>
        <source>The engine holds {held}; predicted were {predicted}.</source>
        <translation>引擎占用 {held}；预计为 {predicted}。</translation>
    </message>
    <message>
        <source>What the engine holds here is not told; predicted were {predicted}.</source>
        <translation>无法得知引擎在此占用多少；预计为 {predicted}。</translation>
    </message>
    <message>
        <source>Nobody tells what is free there now; when the engine started it was {free}.</source>
        <translation>无法得知此处当前的空闲量；引擎启动时为 {free}。</translation>
    </message>
    <message>
        <source>program {pid}</source>
        <translation>程序 {pid}</translation>
    </message>
    <message>
        <source>{free} of this computer&apos;s memory is free, and {margin} should be.</source>
        <translation>本机内存空闲 {free}，应保留 {margin}。</translation>
    </message>
    <message>
        <source>{free} is free on {device}, and {margin} should be.</source>
        <translation>{device} 空闲 {free}，应保留 {margin}。</translation>
    </message>
    <message>
        <source>Other programs hold {others}, most of all {program}.</source>
        <translation>其他程序占用 {others}，最多的是 {program}。</translation>
    </message>
    <message>
        <source>Other programs hold {others}.</source>
        <translation>其他程序占用 {others}。</translation>
    </message>
</context>
<context>
    <name>messages</name>
    <message>
        <source>{path_name} is not there</source>
        <translation>找不到 {path_name}</translation>
    </message>
    <message>
        <source>{path_name} cannot be read</source>
        <translation>无法读取 {path_name}</translation>
    </message>
    <message>
        <source>{path}: {reason}. Check the file&apos;s permissions and its disk.</source>
        <translation>{path}：{reason}。请检查文件权限和所在磁盘。</translation>
    </message>
    <message>
        <source>{path_name} is not a model file</source>
        <translation>{path_name} 不是模型文件</translation>
    </message>
    <message>
        <source>{path} does not begin as a GGUF file does. Models for this program are GGUF files; a web page or a file of another format may have been saved under this name.</source>
        <translation>{path} 的开头不是 GGUF 格式。本程序使用 GGUF 模型文件；以此名称保存的可能是网页或其他格式的文件。</translation>
    </message>
    <message>
        <source>{path_name} is incomplete</source>
        <translation>{path_name} 不完整</translation>
    </message>
    <message>
        <source>The file has {size_bytes}, and its header describes at least {expected_bytes}. The download probably stopped early; download it again.</source>
        <translation>文件只有 {size_bytes}，而文件头描述的内容至少有 {expected_bytes}。下载可能提前中断，请重新下载。</translation>
    </message>
    <message>
        <source>{path_name} is damaged</source>
        <translation>{path_name} 已损坏</translation>
    </message>
    <message>
        <source>Its header cannot be understood ({reason}). Download the file again.</source>
        <translation>无法解析文件头（{reason}）。请重新下载该文件。</translation>
    </message>
    <message>
        <source>{path_name} has an unknown GGUF version</source>
        <translation>{path_name} 的 GGUF 版本未知</translation>
    </message>
    <message>
        <source>The file says version {version}, and this program reads versions 2 and 3. Get a newer conversion of the model.</source>
        <translation>文件标明版本为 {version}，本程序可读取版本 2 和 3。请获取该模型较新的转换文件。</translation>
    </message>
    <message>
        <source>A part of {path_name} is missing</source>
        <translation>{path_name} 缺少一个部分</translation>
    </message>
    <message>
        <source>The model is split over several files, and {missing} is not beside the others. Put all parts into one folder.</source>
        <translation>该模型分成多个文件，而 {missing} 不在其他文件旁边。请把所有部分放进同一个文件夹。</translation>
    </message>
    <message>
        <source>{path_name} could not be converted</source>
        <translation>无法转换 {path_name}</translation>
    </message>
    <message>
        <source>The conversion stopped: {reason}. Check the free space on the disk and try again.</source>
        <translation>转换中止：{reason}。请检查磁盘可用空间后重试。</translation>
    </message>
    <message>
        <source>{path_name} holds no model</source>
        <translation>{path_name} 中没有模型</translation>
    </message>
    <message>
        <source>The file has a vocabulary but no weights. Choose the file with the weights.</source>
        <translation>该文件只有词表，没有权重。请选择包含权重的文件。</translation>
    </message>
    <message>
        <source>{path_name} does not write text</source>
        <translation>{path_name} 不能生成文本</translation>
    </message>
    <message>
        <source>A model of the architecture {architecture} turns text into numbers, or needs another program to be read. Choose a model that writes text.</source>
        <translation>架构为 {architecture} 的模型把文本变成数字，或需要其他程序才能读取。请选择能生成文本的模型。</translation>
    </message>
    <message>
        <source>{path_name} only works together with its own target</source>
        <translation>{path_name} 只能与它自己的目标模型一起使用</translation>
    </message>
    <message>
        <source>The file is a head of the architecture {architecture} that was trained for one target, not a model of its own. Choose a complete small model as the draft.</source>
        <translation>该文件是架构为 {architecture} 的预测头，只为某一个目标模型训练，本身不是完整的模型。请选择完整的小模型作为草稿模型。</translation>
    </message>
    <message>
        <source>{path_name} could not be loaded</source>
        <translation>无法加载 {path_name}</translation>
    </message>
    <message>
        <source>The engine refused the file. It may be damaged, or its architecture may be newer than this version of the engine; the engine&apos;s log says more.</source>
        <translation>引擎拒绝了该文件。文件可能已损坏，或其架构比当前引擎版本更新；引擎日志中有更多信息。</translation>
    </message>
    <message>
        <source>Loading was cancelled</source>
        <translation>加载已取消</translation>
    </message>
    <message>
        <source>No model is loaded. Load one to go on.</source>
        <translation>未加载模型。加载一个即可继续。</translation>
    </message>
    <message>
        <source>There is not enough memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>This model cannot draft for {target}</source>
        <translation>该模型不能为 {target} 起草</translation>
    </message>
    <message>
        <source>{model} has no chat template</source>
        <translation>{model} 没有对话模板</translation>
    </message>
    <message>
        <source>Without one the model cannot be told who says what. Choose the ChatML or the plain format for the chat, or give the prompt as raw text.</source>
        <translation>没有模板就无法告诉模型谁说了什么。请为对话选择 ChatML 或纯文本格式，或直接给出原始提示词。</translation>
    </message>
    <message>
        <source>The chat template of {model} does not work</source>
        <translation>{model} 的对话模板无法使用</translation>
    </message>
    <message>
        <source>It stopped with: {reason}. Choose the ChatML or the plain format for the chat, or give the prompt as raw text.</source>
        <translation>它因以下原因中止：{reason}。请为对话选择 ChatML 或纯文本格式，或直接给出原始提示词。</translation>
    </message>
    <message>
        <source>The chat template of {model} was stopped</source>
        <translation>{model} 的对话模板已被阻止</translation>
    </message>
    <message>
        <source>It reached for something that a template has no business with ({reason}). Do not trust this file; get the model from another source.</source>
        <translation>它试图访问模板不该碰的东西（{reason}）。请不要信任该文件，从其他来源获取模型。</translation>
    </message>
    <message>
        <source>The chat template of {model} does not end</source>
        <translation>{model} 的对话模板无法结束</translation>
    </message>
    <message>
        <source>It was stopped at its limit of time or length. Choose the ChatML or the plain format for the chat, or give the prompt as raw text.</source>
        <translation>它在达到时间或长度上限时被停止。请为对话选择 ChatML 或纯文本格式，或直接给出原始提示词。</translation>
    </message>
    <message>
        <source>The prompt is empty</source>
        <translation>提示词为空</translation>
    </message>
    <message>
        <source>Write something for the model to answer.</source>
        <translation>请写一些内容让模型回答。</translation>
    </message>
    <message>
        <source>The prompt is longer than the context</source>
        <translation>提示词超出上下文长度</translation>
    </message>
    <message>
        <source>The prompt has {prompt_tokens} tokens, and the context holds {ctx} for the prompt and the reply together. Use a longer context or a shorter prompt.</source>
        <translation>提示词有 {prompt_tokens} 个 token，而上下文总共只能容纳提示词和回复共 {ctx} 个。请使用更长的上下文或更短的提示词。</translation>
    </message>
    <message>
        <source>The reply would not fit into the context</source>
        <translation>回复放不进上下文</translation>
    </message>
    <message>
        <source>A prompt of {prompt_tokens} tokens and a reply of {max_tokens} are more than the {ctx} that the context holds. Ask for fewer tokens, or use a longer context.</source>
        <translation>{prompt_tokens} 个 token 的提示词加上 {max_tokens} 个 token 的回复超过了上下文的 {ctx} 个。请减少 token 数，或使用更长的上下文。</translation>
    </message>
    <message>
        <source>A setting has a value that does not work</source>
        <translation>有一项设置的值无效</translation>
    </message>
    <message>
        <source>{name} is {value}: {reason}. Choose another value.</source>
        <translation>{name} 为 {value}：{reason}。请选择其他值。</translation>
    </message>
    <message>
        <source>A {kv_type} cache needs flash attention</source>
        <translation>{kv_type} 缓存需要 Flash Attention</translation>
    </message>
    <message>
        <source>Switch flash attention on or let it be chosen, or use an f16 cache.</source>
        <translation>请打开 Flash Attention 或设为自动，或改用 f16 缓存。</translation>
    </message>
    <message>
        <source>The model stopped in the middle of its work</source>
        <translation>模型在工作中途停止</translation>
    </message>
    <message>
        <source>Decoding with {path_name} failed with code {code}. Try again; if it happens again, load the pair anew with a shorter context.</source>
        <translation>使用 {path_name} 解码失败，代码 {code}。请重试；若再次发生，请用更短的上下文重新加载模型对。</translation>
    </message>
    <message>
        <source>The model gave numbers that are not numbers</source>
        <translation>模型给出了无效数值</translation>
    </message>
    <message>
        <source>No token can be chosen from them. The file may be damaged, or the type of its weights may not work on this device. Try another file of the model, or without the graphics card.</source>
        <translation>无法从中选出 token。文件可能已损坏，或其权重类型不适合此设备。请尝试该模型的其他文件，或不使用显卡。</translation>
    </message>
    <message>
        <source>No model is loaded</source>
        <translation>未加载模型</translation>
    </message>
    <message>
        <source>Load a model before you ask for a reply.</source>
        <translation>请先加载模型再请求回复。</translation>
    </message>
    <message>
        <source>The engine is busy</source>
        <translation>引擎正忙</translation>
    </message>
    <message>
        <source>Another reply is being written. Wait for its end, or stop it.</source>
        <translation>另一条回复正在生成。请等待它结束，或将其停止。</translation>
    </message>
    <message>
        <source>The engine could not be started</source>
        <translation>无法启动引擎</translation>
    </message>
    <message>
        <source>The engine stopped unexpectedly</source>
        <translation>引擎意外停止</translation>
    </message>
    <message>
        <source>Something went wrong inside the program</source>
        <translation>程序内部出错</translation>
    </message>
    <message>
        <source>This is a fault of the program: {reason}. Try again; a report with the details helps to mend it.</source>
        <translation>这是程序的错误：{reason}。请重试；附上详情的报告有助于修复。</translation>
    </message>
    <message>
        <source>{path}: {reason}. Check the file&apos;s permissions.</source>
        <translation>{path}：{reason}。请检查文件权限。</translation>
    </message>
    <message>
        <source>{path}: {reason}. Check the path.</source>
        <translation>{path}：{reason}。请检查路径。</translation>
    </message>
    <message>
        <source>{path}: {reason}. Choose a file.</source>
        <translation>{path}：{reason}。请选择一个文件。</translation>
    </message>
    <message>
        <source>{path}: {reason}. Choose a shorter one.</source>
        <translation>{path}：{reason}。请选择较短的文件。</translation>
    </message>
    <message>
        <source>The answer could not be written</source>
        <translation>无法写出结果</translation>
    </message>
    <message>
        <source>{path}: {reason}. Send it to another place.</source>
        <translation>{path}：{reason}。请输出到其他位置。</translation>
    </message>
    <message>
        <source>{path_name} cannot be written to</source>
        <translation>无法写入 {path_name}</translation>
    </message>
    <message>
        <source>{path}: {reason}. Check the folder&apos;s permissions, or choose another base folder.</source>
        <translation>{path}：{reason}。请检查文件夹权限，或选择其他基础文件夹。</translation>
    </message>
    <message>
        <source>The limit that was set for it ended it at token {completion_tokens}. Allow more tokens.</source>
        <translation>它在第 {completion_tokens} 个 token 处因所设的长度上限而结束。请允许更多 token。</translation>
    </message>
    <message>
        <source>The context was full at token {completion_tokens} of the reply. Use a longer context or a shorter prompt.</source>
        <translation>回复写到第 {completion_tokens} 个 token 时上下文已满。请使用更长的上下文或更短的提示词。</translation>
    </message>
    <message>
        <source>It ended at token {completion_tokens}, by itself or before a text that was set to end it. Set no such text, or use a prompt that asks for more.</source>
        <translation>它在第 {completion_tokens} 个 token 处结束：或是自行结束，或是遇到了所设的停止文本。请不要设置这样的文本，或使用要求更多内容的提示词。</translation>
    </message>
    <message>
        <source>The model ended it at token {completion_tokens}. Use a prompt that asks for more.</source>
        <translation>模型在第 {completion_tokens} 个 token 处结束了回复。请使用要求更多内容的提示词。</translation>
    </message>
    <message>
        <source>Guessing is off for a while: its rounds took far longer than predicted.</source>
        <translation>猜测暂时停用：各轮耗时远超预测。</translation>
    </message>
    <message>
        <source>auto: draft {length}, {ratio}× predicted</source>
        <translation>自动：草稿 {length}，预测 {ratio} 倍</translation>
    </message>
    <message>
        <source>There is not enough space on the disk</source>
        <translation>磁盘空间不足</translation>
    </message>
    <message>
        <source>No file was found at {path}. Check the path, or choose another file.</source>
        <translation>{path} 处没有文件。请检查路径，或选择其他文件。</translation>
    </message>
    <message>
        <source>A context of {ctx} tokens could not be set up</source>
        <translation>无法建立 {ctx} 个 token 的上下文</translation>
    </message>
    <message>
        <source>{path_name} was read, but the engine refused its context. Use a shorter context, another type for the cache, or flash attention where the cache is quantised.</source>
        <translation>{path_name} 已读取，但引擎拒绝了它的上下文。请改用更短的上下文、其他缓存类型，缓存为量化类型时请使用 Flash Attention。</translation>
    </message>
    <message>
        <source>The starter pair is not installed</source>
        <translation>未安装入门模型对</translation>
    </message>
    <message>
        <source>The package {package} is missing. Run python3 run.py, which installs it.</source>
        <translation>缺少软件包 {package}。运行 python3 run.py 即可安装。</translation>
    </message>
    <message>
        <source>{path_name} is not text in UTF-8</source>
        <translation>{path_name} 不是 UTF-8 文本</translation>
    </message>
    <message>
        <source>The byte at position {position} belongs to no character. Save the file as UTF-8.</source>
        <translation>位置 {position} 处的字节不属于任何字符。请将文件保存为 UTF-8。</translation>
    </message>
    <message>
        <source>{path_name} is not a list of messages</source>
        <translation>{path_name} 不是消息列表</translation>
    </message>
    <message>
        <source>It should be JSON: a list of objects with &quot;role&quot; (system, user or assistant) and &quot;content&quot;. {reason}.</source>
        <translation>应为 JSON：由含有 &quot;role&quot;（system、user 或 assistant）和 &quot;content&quot; 的对象组成的列表。{reason}。</translation>
    </message>
    <message>
        <source>There is nothing to compare</source>
        <translation>没有可比较的内容</translation>
    </message>
    <message>
        <source>The reply is too short to measure</source>
        <translation>回复太短，无法测量</translation>
    </message>
    <message>
        <source>The prompt has at least {prompt_tokens} tokens, and the context holds {ctx} for the prompt and the reply together. Use a longer context or a shorter prompt.</source>
        <translation>提示词至少有 {prompt_tokens} 个 token，而上下文总共可容纳 {ctx} 个（提示词与回复合计）。请使用更长的上下文或更短的提示词。</translation>
    </message>
    <message>
        <source>Something outside the program ended it before it was ready, most often the system because memory ran out. Close other programs and try again.</source>
        <translation>引擎在就绪之前被程序之外的因素结束，最常见的是内存耗尽时由系统结束。请关闭其他程序后重试。</translation>
    </message>
    <message>
        <source>This processor lacks an instruction that this build of the engine uses. Install a build for older processors.</source>
        <translation>此处理器缺少该引擎版本所用的指令。请安装适用于较旧处理器的版本。</translation>
    </message>
    <message>
        <source>{reason}. Close other programs and try again.</source>
        <translation>{reason}。请关闭其他程序后重试。</translation>
    </message>
    <message>
        <source>{reason}. Try again; the engine&apos;s log may say more: {log_path}</source>
        <translation>{reason}。请重试；引擎日志中可能有更多信息：{log_path}</translation>
    </message>
    <message>
        <source>It ended before it was ready (exit code {exit_code}). The engine&apos;s log says why: {log_path}</source>
        <translation>它在就绪前就已退出（退出代码 {exit_code}）。原因见引擎日志：{log_path}</translation>
    </message>
    <message>
        <source>It no longer answered, so it was ended. Load the pair again.</source>
        <translation>它不再响应，因此已被结束。请重新加载模型对。</translation>
    </message>
    <message>
        <source>Something outside the program ended it, most often the system because memory ran out. Load the pair again; a shorter context or a smaller model needs less memory.</source>
        <translation>程序之外的某个因素结束了它，多半是系统因内存耗尽所致。请重新加载模型对；更短的上下文或更小的模型需要的内存更少。</translation>
    </message>
    <message>
        <source>It met a fault that it could not survive ({signal}): most often a damaged model file, or too little memory on the graphics card. Load the pair again, with a shorter context or another file.</source>
        <translation>它遇到了无法挺过的故障（{signal}）：最常见的原因是模型文件损坏，或显存不足。请重新加载这对模型，并缩短上下文或换一个文件。</translation>
    </message>
    <message>
        <source>It ended with exit code {exit_code}. Load the pair again.</source>
        <translation>它以退出代码 {exit_code} 结束。请重新加载模型对。</translation>
    </message>
    <message>
        <source>Nothing is known of the cause. Load the pair again.</source>
        <translation>原因不明。请重新加载模型对。</translation>
    </message>
    <message>
        <source>{draft} can only be compared with {target} by their tokens, and one of them brings none. Choose a draft that comes with its vocabulary.</source>
        <translation>{draft} 与 {target} 只能通过 token 比较，而其中一个不含 token。请选择自带词表的草稿模型。</translation>
    </message>
    <message>
        <source>{target} knows {target_size} tokens, and {draft} knows {draft_size}. Choose a draft of the target&apos;s own family.</source>
        <translation>{target} 的词表有 {target_size} 个 token，而 {draft} 有 {draft_size} 个。请选择与目标模型同一系列的草稿模型。</translation>
    </message>
    <message>
        <source>Token {token_id} is {target_text} for {target} and {draft_text} for {draft}; {differing_tokens} tokens differ. Choose a draft of the target&apos;s own family.</source>
        <translation>第 {token_id} 号 token 在 {target} 中是 {target_text}，在 {draft} 中是 {draft_text}；共有 {differing_tokens} 个 token 不同。请选择与目标模型同一系列的草稿模型。</translation>
    </message>
    <message>
        <source>{path} needs {needed_bytes}, and {free_bytes} are free. Free some space and try again.</source>
        <translation>{path} 需要 {needed_bytes}，可用 {free_bytes}。请腾出空间后重试。</translation>
    </message>
    <message>
        <source>{path} cannot be written. Free some space and try again.</source>
        <translation>无法写入 {path}。请腾出空间后重试。</translation>
    </message>
    <message>
        <source>the target</source>
        <translation>目标模型</translation>
    </message>
    <message>
        <source>the draft</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>The draft guesses up to {length} tokens a round, as it was set.</source>
        <translation>按设定，草稿模型每轮最多猜测 {length} 个 token。</translation>
    </message>
    <message>
        <source>Some {length} guesses a round pay: {ratio}× predicted.</source>
        <translation>每轮约 {length} 个猜测划算：预测 {ratio} 倍。</translation>
    </message>
    <message>
        <source>It did not pay, {ratio}× predicted; a few guesses show whether it does now.</source>
        <translation>此前不划算，预测 {ratio} 倍；用少量猜测看现在是否划算。</translation>
    </message>
    <message>
        <source>Guessing did not pay; the target writes alone until a try shows otherwise.</source>
        <translation>此前猜测不划算；由目标模型独自生成，直到一次尝试表明情况有变。</translation>
    </message>
    <message>
        <source>Guessing does not pay here, {ratio}× predicted, so the target writes alone.</source>
        <translation>此处猜测不划算，预测 {ratio} 倍，因此由目标模型独自生成。</translation>
    </message>
    <message>
        <source>{ratio}× predicted; it is seen first whether the text copies the prompt.</source>
        <translation>预测 {ratio} 倍；先看文本是否照抄提示词。</translation>
    </message>
    <message>
        <source>Guessing pays little, {ratio}× predicted; one round goes without it.</source>
        <translation>猜测收益很小，预测 {ratio} 倍；有一轮不使用猜测。</translation>
    </message>
    <message>
        <source>There was nothing to guess.</source>
        <translation>没有可猜测的内容。</translation>
    </message>
    <message>
        <source>auto: trying again, {ratio}× predicted</source>
        <translation>自动：再试一次，预测 {ratio} 倍</translation>
    </message>
    <message>
        <source>auto: resting until a try pays</source>
        <translation>自动：休息中，直到一次尝试划算</translation>
    </message>
    <message>
        <source>auto: resting, {ratio}× predicted</source>
        <translation>自动：休息中，预测 {ratio} 倍</translation>
    </message>
    <message>
        <source>auto: looking for something to copy</source>
        <translation>自动：正在寻找可照抄的内容</translation>
    </message>
    <message>
        <source>auto: one round without, {ratio}× predicted</source>
        <translation>自动：一轮不猜测，预测 {ratio} 倍</translation>
    </message>
    <message>
        <source>auto: off, rounds were far too slow</source>
        <translation>自动：已关闭，各轮太慢</translation>
    </message>
    <message>
        <source>Guessing did not pay on this text with this pair, so the target wrote alone.</source>
        <translation>这一对模型在这段文本上猜测不划算，因此由目标模型独自生成。</translation>
    </message>
    <message>
        <source>Predicted {ratio}× on this text with this pair, so the target wrote alone.</source>
        <translation>这一对模型在这段文本上预测为 {ratio} 倍，因此由目标模型独自生成。</translation>
    </message>
    <message>
        <source>No draft model is loaded, so only text that repeats is proposed.</source>
        <translation>未加载草稿模型，因此只提议重复出现的文本。</translation>
    </message>
    <message>
        <source>The draft {draft} cannot forget rejected tokens: its architecture keeps a running state. Only text that repeats is proposed. Choose another draft.</source>
        <translation>草稿模型 {draft} 无法撤销被拒绝的 token：其架构会保持连续状态。只提议重复出现的文本。请选择其他草稿模型。</translation>
    </message>
    <message>
        <source>The context of the draft {draft} is full. From here on only text that repeats is proposed.</source>
        <translation>草稿模型 {draft} 的上下文已满。从此处起只提议重复出现的文本。</translation>
    </message>
    <message>
        <source>The draft {draft} failed. From here on only text that repeats is proposed.</source>
        <translation>草稿模型 {draft} 出错。从此处起只提议重复出现的文本。</translation>
    </message>
    <message>
        <source>Speculation is switched off.</source>
        <translation>推测解码已关闭。</translation>
    </message>
    <message>
        <source>Speculation needs a draft model, and none is loaded.</source>
        <translation>推测解码需要草稿模型，但尚未加载。</translation>
    </message>
    <message>
        <source>Speculation is off because the draft length is 0.</source>
        <translation>草稿长度为 0，推测解码未启用。</translation>
    </message>
    <message>
        <source>Speculation is off because {target} cannot forget rejected tokens: its architecture keeps a running state.</source>
        <translation>推测解码未启用，因为 {target} 无法撤销被拒绝的 token：其架构会保持连续状态。</translation>
    </message>
    <message>
        <source>Speculation is off because the draft {draft} cannot forget rejected tokens: its architecture keeps a running state. Choose another draft.</source>
        <translation>推测解码未启用，因为草稿模型 {draft} 无法撤销被拒绝的 token：其架构会保持连续状态。请选择其他草稿模型。</translation>
    </message>
    <message>
        <source>Speculation stopped because the context of the draft {draft} is full. The reply goes on without it.</source>
        <translation>草稿模型 {draft} 的上下文已满，推测解码已停止。回复将在没有它的情况下继续。</translation>
    </message>
    <message>
        <source>Speculation stopped because the draft {draft} failed. The reply goes on without it.</source>
        <translation>草稿模型 {draft} 出错，推测解码已停止。回复将在没有它的情况下继续。</translation>
    </message>
    <message>
        <source>{title}.</source>
        <translation>{title}。</translation>
    </message>
    <message>
        <source>{masked} tokens mean something else to the draft {draft} than to {target}. It never proposes them, and the text is the target&apos;s as always.</source>
        <translation>有 {masked} 个 token 在草稿模型 {draft} 和 {target} 中含义不同。草稿模型不会提议它们，文本始终与目标模型一致。</translation>
    </message>
    <message>
        <source>The draft {draft} is as large as {target}, so speculation will hardly be faster. Choose a smaller draft.</source>
        <translation>草稿模型 {draft} 与 {target} 一样大，推测解码几乎不会更快。请选择更小的草稿模型。</translation>
    </message>
    <message>
        <source>Offline mode is on</source>
        <translation>离线模式已开启</translation>
    </message>
    <message>
        <source>Nothing is asked of the network. Switch offline mode off in the settings to go on.</source>
        <translation>不会访问网络。请在设置中关闭离线模式后继续。</translation>
    </message>
    <message>
        <source>{host} cannot be reached</source>
        <translation>无法连接 {host}</translation>
    </message>
    <message>
        <source>{reason}. Check the connection, or choose a mirror in the settings. What was downloaded is kept.</source>
        <translation>{reason}。请检查网络连接，或在设置中选择镜像。已下载的内容会保留。</translation>
    </message>
    <message>
        <source>{host} did not give what was asked for</source>
        <translation>{host} 未给出所请求的内容</translation>
    </message>
    <message>
        <source>It answered {status}: {reason}. Try again later, or choose another source in the settings.</source>
        <translation>它返回 {status}：{reason}。请稍后重试，或在设置中选择其他来源。</translation>
    </message>
    <message>
        <source>{host} asks for a pause</source>
        <translation>{host} 要求暂缓请求</translation>
    </message>
    <message>
        <source>It had too many requests. It can be asked again in {retry_after_s} s; a token of your own raises the limit.</source>
        <translation>请求过多。{retry_after_s} 秒后可再次请求；使用你自己的令牌可提高上限。</translation>
    </message>
    <message>
        <source>{repo} is not there</source>
        <translation>找不到 {repo}</translation>
    </message>
    <message>
        <source>{host} has no such repository, or hides it from you. Check its name, or give a token.</source>
        <translation>{host} 上没有这个仓库，或它对你不可见。请检查名称，或提供令牌。</translation>
    </message>
    <message>
        <source>{file} is not there</source>
        <translation>找不到 {file}</translation>
    </message>
    <message>
        <source>{repo} at {host} has no such file. It may have been renamed; look at its list of files.</source>
        <translation>{host} 上的 {repo} 中没有这个文件。它可能已改名，请查看文件列表。</translation>
    </message>
    <message>
        <source>{repo} asks you to accept its licence</source>
        <translation>{repo} 要求接受其许可协议</translation>
    </message>
    <message>
        <source>The download stands still</source>
        <translation>下载停滞</translation>
    </message>
    <message>
        <source>{host} sent nothing of {file} for {seconds} s, several times. What came so far is kept; go on later.</source>
        <translation>{host} 多次在 {seconds} 秒内没有发送 {file} 的任何数据。已下载的内容会保留，可稍后继续。</translation>
    </message>
    <message>
        <source>{file} came with the wrong size</source>
        <translation>收到的 {file} 大小不符</translation>
    </message>
    <message>
        <source>It has {size_bytes} and should have {expected_bytes}. Download it again.</source>
        <translation>文件有 {size_bytes}，应为 {expected_bytes}。请重新下载。</translation>
    </message>
    <message>
        <source>{file} came damaged</source>
        <translation>收到的 {file} 已损坏</translation>
    </message>
    <message>
        <source>Its SHA-256 is {sha256} and should be {expected_sha256}. It was not kept; download it again, perhaps from another source.</source>
        <translation>其 SHA-256 为 {sha256}，应为 {expected_sha256}。文件未保留；请重新下载，或换一个来源。</translation>
    </message>
    <message>
        <source>{host} sent something else than a model</source>
        <translation>{host} 发来的不是模型</translation>
    </message>
    <message>
        <source>What came instead of {file} does not begin as a GGUF file does; it may be a page that asks to sign in. Open the address in a browser, or choose another source.</source>
        <translation>收到的并非 {file}，其开头不是 GGUF 格式，可能是要求登录的网页。请在浏览器中打开该地址，或选择其他来源。</translation>
    </message>
    <message>
        <source>{file} was replaced at the hub</source>
        <translation>Hub 上的 {file} 已被替换</translation>
    </message>
    <message>
        <source>{file} is already being downloaded</source>
        <translation>{file} 已在下载</translation>
    </message>
    <message>
        <source>Another window or program is at it. Wait for it, or stop it there.</source>
        <translation>另一个窗口或程序正在下载它。请等待其完成，或在那里停止。</translation>
    </message>
    <message>
        <source>The download was cancelled</source>
        <translation>下载已取消</translation>
    </message>
    <message>
        <source>Nothing was kept of it.</source>
        <translation>未保留任何内容。</translation>
    </message>
    <message>
        <source>A file has a name that is not used here</source>
        <translation>有一个文件的名称不能在此使用</translation>
    </message>
    <message>
        <source>The hub calls it {name}: {reason}. It was not downloaded.</source>
        <translation>它在 Hub 上名为 {name}：{reason}。该文件未下载。</translation>
    </message>
    <message>
        <source>There is no pair {id}</source>
        <translation>没有模型对 {id}</translation>
    </message>
    <message>
        <source>{title} is not on this computer yet</source>
        <translation>{title} 尚未下载到本机</translation>
    </message>
    <message>
        <source>Download the pair {id} first.</source>
        <translation>请先下载模型对 {id}。</translation>
    </message>
    <message>
        <source>The catalogue {path_name} has a mistake</source>
        <translation>模型清单 {path_name} 有错误</translation>
    </message>
    <message>
        <source>What {file} takes of memory is told by its header, the first megabytes of the file, and nothing is asked of the network. Switch offline mode off in the settings; once read, the header is kept.</source>
        <translation>{file} 需要多少内存由它的文件头（文件开头的几 MB）得知，而现在不会访问网络。请在设置中关闭离线模式；文件头读取一次后即会保留。</translation>
    </message>
    <message>
        <source>{path} is not used. {reason}.</source>
        <translation>未使用 {path}。{reason}。</translation>
    </message>
    <message>
        <source>{path_name} belongs to {owner}</source>
        <translation>{path_name} 属于 {owner}</translation>
    </message>
    <message>
        <source>{repo} now holds another file under this name than the one that was looked up. Where a download of it had begun, cancel that and begin it anew.</source>
        <translation>{repo} 中此名称现在对应的文件与查询到的不同。如果已开始下载，请取消并重新开始。</translation>
    </message>
    <message>
        <source>It is used where it lies, at {path}, and is only removed with that program.</source>
        <translation>它在原处 {path} 直接使用，只能通过该程序删除。</translation>
    </message>
    <message>
        <source>{path_name} could not be moved to the trash</source>
        <translation>无法将 {path_name} 移到回收站</translation>
    </message>
    <message>
        <source>{path}: {reason}. Remove the file yourself if you want it gone.</source>
        <translation>{path}：{reason}。如不再需要，请自行删除该文件。</translation>
    </message>
    <message>
        <source>{path_name} is not the file it should be</source>
        <translation>{path_name} 与应有的文件不符</translation>
    </message>
    <message>
        <source>Its SHA-256 is {sha256} and should be {expected_sha256}. It is damaged or was changed; download it again.</source>
        <translation>其 SHA-256 为 {sha256}，应为 {expected_sha256}。文件已损坏或被更改，请重新下载。</translation>
    </message>
    <message>
        <source>{path_name} is not among the models</source>
        <translation>模型中没有 {path_name}</translation>
    </message>
    <message>
        <source>Nothing at {path} is a model in the models folder, among the files and folders that were added, or in another program&apos;s folder that is looked into.</source>
        <translation>在模型文件夹、已添加的文件和文件夹，以及会查看的其他程序文件夹中，都没有位于 {path} 的模型。</translation>
    </message>
    <message>
        <source>{path_name} is only a piece of a file</source>
        <translation>{path_name} 只是文件的一段</translation>
    </message>
    <message>
        <source>{file} was cut into pieces, of which {pieces} are here. Join them in their order into one file; then it can be used.</source>
        <translation>{file} 被切成了多段，这里有其中 {pieces} 段。请按顺序将它们合并为一个文件，然后即可使用。</translation>
    </message>
    <message>
        <source>{host} does not accept your token</source>
        <translation>{host} 不接受你的令牌</translation>
    </message>
    <message>
        <source>It is wrong or was withdrawn. Make a new one with the right to read, or remove it: models that are open to all need none. The variable HF_TOKEN comes before a token that was given here.</source>
        <translation>令牌有误或已被撤销。请新建一个有读取权限的令牌，或将其清除：公开的模型不需要令牌。环境变量 HF_TOKEN 优先于在此提供的令牌。</translation>
    </message>
    <message>
        <source>{path_name} is small already</source>
        <translation>{path_name} 已经很小</translation>
    </message>
    <message>
        <source>It has {size_bytes}, and as {file_type} it would still have {expected_bytes}: too much for a draft that is to be faster. Choose a smaller type, or a smaller model of the same family.</source>
        <translation>它有 {size_bytes}，转为 {file_type} 后仍有 {expected_bytes}：作为草稿模型太大，无法更快。请选择更小的类型，或同一系列中更小的模型。</translation>
    </message>
    <message>
        <source>The need of {path_name} cannot be measured</source>
        <translation>无法测量 {path_name} 所需的内存</translation>
    </message>
    <message>
        <source>llama.cpp gave no figures for {path}: {reason}. Loading it may fail in the same way.</source>
        <translation>llama.cpp 未给出 {path} 的数据：{reason}。加载时可能同样失败。</translation>
    </message>
    <message>
        <source>Your token was refused. Make a new one with the right to read, and accept the licence at {url}</source>
        <translation>你的令牌被拒绝。请新建一个有读取权限的令牌，并在此接受许可协议：{url}</translation>
    </message>
    <message>
        <source>Your token is right, but its owner has not accepted the licence yet. Accept it at {url}</source>
        <translation>你的令牌有效，但其所有者尚未接受许可协议。请在此接受：{url}</translation>
    </message>
    <message>
        <source>Open {url} in a browser, sign in and accept the licence; then give this program a token with the right to read.</source>
        <translation>请在浏览器中打开 {url} 登录并接受许可协议；然后为本程序提供一个有读取权限的令牌。</translation>
    </message>
    <message>
        <source>The catalogue has no pair of this name. Near ones: {near}.</source>
        <translation>清单中没有此名称的模型对。相近的有：{near}。</translation>
    </message>
    <message>
        <source>The catalogue has no pair of this name. List the pairs to see the names.</source>
        <translation>清单中没有此名称的模型对。请列出模型对以查看名称。</translation>
    </message>
    <message>
        <source>{path}: the entry {entry} is left out. {reason}.</source>
        <translation>{path}：已略过条目 {entry}。{reason}。</translation>
    </message>
    <message>
        <source>Memory would be tight</source>
        <translation>内存会很紧张</translation>
    </message>
    <message>
        <source>This does not fit into memory</source>
        <translation>内存装不下</translation>
    </message>
    <message>
        <source>Memory ran out while {path_name} was loaded.</source>
        <translation>加载 {path_name} 时内存耗尽。</translation>
    </message>
    <message>
        <source>Memory ran out while the context of {path_name} was set up.</source>
        <translation>建立 {path_name} 的上下文时内存耗尽。</translation>
    </message>
    <message>
        <source>Memory ran out while the reply was written.</source>
        <translation>生成回复时内存耗尽。</translation>
    </message>
    <message>
        <source>Use a shorter context, a smaller type for the cache, fewer layers on the graphics card, or a smaller model; closing other programs helps too.</source>
        <translation>请使用更短的上下文、更小的缓存类型、在显卡上放更少的层，或更小的模型；关闭其他程序也有帮助。</translation>
    </message>
    <message>
        <source>It ran out of memory.</source>
        <translation>它耗尽了内存。</translation>
    </message>
    <message>
        <source>With a context of {ctx} tokens {need_bytes} of {device} are needed, and {free_bytes} of it are free.</source>
        <translation>上下文为 {ctx} 个 token 时，需要 {device} 的 {need_bytes}，而可用的有 {free_bytes}。</translation>
    </message>
    <message>
        <source>With a context of {ctx} tokens {need_bytes} of memory are needed, and {free_bytes} are free.</source>
        <translation>上下文为 {ctx} 个 token 时，需要 {need_bytes} 内存，而可用的有 {free_bytes}。</translation>
    </message>
    <message>
        <source>At least {margin_bytes} should stay free.</source>
        <translation>至少应留出 {margin_bytes}。</translation>
    </message>
    <message>
        <source>Another limit may be set for the program, or others took memory meanwhile.</source>
        <translation>可能对本程序另有限制，或其他程序在此期间占用了内存。</translation>
    </message>
    <message>
        <source>This takes less: {remedy}.</source>
        <translation>这样占用更少：{remedy}。</translation>
    </message>
    <message>
        <source>This would fit: {remedy}.</source>
        <translation>这样可以装下：{remedy}。</translation>
    </message>
</context>
<context>
    <name>model_settings</name>
    <message>
        <source>Models and downloads</source>
        <translation>模型与下载</translation>
    </message>
    <message>
        <source>Hub address</source>
        <translation>Hub 地址</translation>
    </message>
    <message>
        <source>A mirror&apos;s address; empty for huggingface.co, or what HF_ENDPOINT says</source>
        <translation>镜像地址；留空则使用 huggingface.co 或 HF_ENDPOINT 指定的地址</translation>
    </message>
    <message>
        <source>Speed limit</source>
        <translation>限速</translation>
    </message>
    <message>
        <source>Megabytes per second of all downloads together</source>
        <translation>所有下载合计的每秒兆字节数</translation>
    </message>
    <message>
        <source>Hub token</source>
        <translation>Hub 令牌</translation>
    </message>
    <message>
        <source>For models whose licence you accepted; kept in the system&apos;s keyring</source>
        <translation>用于你已接受许可协议的模型；保存在系统密钥环中</translation>
    </message>
    <message>
        <source>none</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>a token is kept</source>
        <translation>已保存令牌</translation>
    </message>
    <message>
        <source>none, hf_…</source>
        <translation>无，hf_…</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>Also take files from ModelScope</source>
        <translation>也从 ModelScope 获取文件</translation>
    </message>
    <message>
        <source>Offline: ask nothing of the network</source>
        <translation>离线：不访问网络</translation>
    </message>
    <message>
        <source>Folders with models</source>
        <translation>模型所在文件夹</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Files from ModelScope count only where their SHA-256 is the one that the hub or the catalogue tells.</source>
        <translation>仅当 SHA-256 与 Hub 或清单给出的一致时，才采用 ModelScope 的文件。</translation>
    </message>
    <message>
        <source>No hub can be asked at this address: it begins with https:// and has no password in it. {address} still counts.</source>
        <translation>此地址不能用作 Hub 地址：应以 https:// 开头且不含密码。仍使用 {address}。</translation>
    </message>
    <message>
        <source>Add a folder with models</source>
        <translation>添加模型文件夹</translation>
    </message>
    <message>
        <source>{folder} is no folder on this computer.</source>
        <translation>{folder} 不是本机上的文件夹。</translation>
    </message>
    <message>
        <source>Leave out</source>
        <translation>移出</translation>
    </message>
    <message>
        <source>Leave out {folder}</source>
        <translation>移出 {folder}</translation>
    </message>
    <message>
        <source>Keeping the token…</source>
        <translation>正在保存令牌…</translation>
    </message>
    <message>
        <source>The token is kept.</source>
        <translation>令牌已保存。</translation>
    </message>
</context>
<context>
    <name>models</name>
    <message>
        <source>the Hugging Face cache</source>
        <translation>Hugging Face 缓存</translation>
    </message>
    <message>
        <source>the starter pair&apos;s package</source>
        <translation>入门模型对的软件包</translation>
    </message>
    <message>
        <source>Add GGUF files</source>
        <translation>添加 GGUF 文件</translation>
    </message>
    <message>
        <source>Add a folder with models</source>
        <translation>添加模型文件夹</translation>
    </message>
    <message>
        <source>Download</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>忽略</translation>
    </message>
    <message>
        <source>Sooner</source>
        <translation>提前</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>延后</translation>
    </message>
    <message>
        <source>Use as target</source>
        <translation>用作目标模型</translation>
    </message>
    <message>
        <source>Use as draft</source>
        <translation>用作草稿模型</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>校验</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Show in folder</source>
        <translation>在文件夹中显示</translation>
    </message>
    <message>
        <source>Remove…</source>
        <translation>删除…</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Only the draft is missing</source>
        <translation>只缺草稿模型</translation>
    </message>
    <message>
        <source>Pair</source>
        <translation>模型对</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>词表</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Repository</source>
        <translation>仓库</translation>
    </message>
    <message>
        <source>Downloads</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Likes</source>
        <translation>点赞</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>许可协议</translation>
    </message>
    <message>
        <source>Updated</source>
        <translation>更新时间</translation>
    </message>
    <message>
        <source>{licence} · gated</source>
        <translation>{licence} · 需授权</translation>
    </message>
    <message>
        <source>is here</source>
        <translation>已在本机</translation>
    </message>
    <message>
        <source>Remove {name}</source>
        <translation>删除 {name}</translation>
    </message>
    <message>
        <source>Its {parts} files, {size}, go to the trash:</source>
        <translation>它的 {parts} 个文件（{size}）将移到回收站：</translation>
    </message>
    <message>
        <source>This file, {size}, goes to the trash:</source>
        <translation>此文件（{size}）将移到回收站：</translation>
    </message>
    <message>
        <source>It is loaded now and cannot be loaded again afterwards.</source>
        <translation>它现已加载，删除后将无法再次加载。</translation>
    </message>
    <message>
        <source>Move to the trash</source>
        <translation>移到回收站</translation>
    </message>
    <message>
        <source>Cancel the download</source>
        <translation>取消下载</translation>
    </message>
    <message>
        <source>{size} that came already will be deleted. A pause would keep them.</source>
        <translation>已下载的 {size} 将被删除；暂停则会保留。</translation>
    </message>
    <message>
        <source>Delete what came</source>
        <translation>删除已下载的内容</translation>
    </message>
    <message>
        <source>Keep it</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Make a draft from {target}</source>
        <translation>用 {target} 制作草稿模型</translation>
    </message>
    <message>
        <source>Make it</source>
        <translation>制作</translation>
    </message>
    <message>
        <source>The same model in fewer bits guesses well and shares every token. It is slower than a small model of the family, so it pays where there is none.</source>
        <translation>位数更少的同一模型猜得准，且所有 token 都相同。它比同一系列的小模型慢，因此适合没有小模型的情况。</translation>
    </message>
    <message>
        <source>Fewer bits are faster and guess a little worse</source>
        <translation>位数越少越快，但猜得略差</translation>
    </message>
    <message>
        <source>Working out size and time…</source>
        <translation>正在估算大小和时间…</translation>
    </message>
    <message>
        <source>{size}, made in about {time}. {free} are free at {folder}.</source>
        <translation>{size}，制作约需 {time}。{folder} 可用空间 {free}。</translation>
    </message>
    <message>
        <source>That is too little space.</source>
        <translation>空间不足。</translation>
    </message>
    <message>
        <source>OTHER DRAFTS FOR {target} ON THIS COMPUTER</source>
        <translation>本机上 {target} 的其他草稿模型</translation>
    </message>
    <message>
        <source>Make a draft from this target…</source>
        <translation>用此目标模型制作草稿模型…</translation>
    </message>
    <message>
        <source>Compare them with its header at the hub</source>
        <translation>与它在 Hub 上的文件头比较</translation>
    </message>
    <message>
        <source>Other drafts</source>
        <translation>其他草稿模型</translation>
    </message>
    <message>
        <source>Making a draft from this target · {done}</source>
        <translation>正在用此目标模型制作草稿模型 · {done}</translation>
    </message>
    <message>
        <source>There is no other model on this computer.</source>
        <translation>本机没有其他模型。</translation>
    </message>
    <message>
        <source>The target is not here yet; its header alone, some MB, is enough to compare.</source>
        <translation>目标模型尚未下载；仅需它的文件头（几 MB）即可比较。</translation>
    </message>
    <message>
        <source>Open the page in a browser</source>
        <translation>在浏览器中打开页面</translation>
    </message>
    <message>
        <source>Hub token, hf_…</source>
        <translation>Hub 令牌，hf_…</translation>
    </message>
    <message>
        <source>Hub token</source>
        <translation>Hub 令牌</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Matched pairs</source>
        <translation>匹配的模型对</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Search the hub</source>
        <translation>搜索 Hub</translation>
    </message>
    <message>
        <source>Filter…</source>
        <translation>筛选…</translation>
    </message>
    <message>
        <source>Filter the table</source>
        <translation>筛选表格</translation>
    </message>
    <message>
        <source>Context {n}</source>
        <translation>上下文 {n}</translation>
    </message>
    <message>
        <source>Context of what is opened here</source>
        <translation>在此打开的模型的上下文</translation>
    </message>
    <message>
        <source>KV cache {type}</source>
        <translation>KV 缓存 {type}</translation>
    </message>
    <message>
        <source>KV cache of what is opened here</source>
        <translation>在此打开的模型的 KV 缓存</translation>
    </message>
    <message>
        <source>Add GGUF files…</source>
        <translation>添加 GGUF 文件…</translation>
    </message>
    <message>
        <source>Nothing is asked of the network. The catalogue and your own models work as ever.</source>
        <translation>不会访问网络。清单和你自己的模型照常可用。</translation>
    </message>
    <message>
        <source>Go online</source>
        <translation>恢复联网</translation>
    </message>
    <message>
        <source>MATCHED PAIR</source>
        <translation>匹配的模型对</translation>
    </message>
    <message>
        <source>Choose a pair to see its files and its licence.</source>
        <translation>选择一个模型对，查看其文件和许可协议。</translation>
    </message>
    <message>
        <source>ON THIS COMPUTER</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>Choose a model to see what its header says of it.</source>
        <translation>选择一个模型，查看其文件头中的信息。</translation>
    </message>
    <message>
        <source>Good for</source>
        <translation>适用于</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>系列</translation>
    </message>
    <message>
        <source>{n} tokens</source>
        <translation>{n} 个 token</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>目标模型</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>可信度</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Lies in</source>
        <translation>所在文件夹</translation>
    </message>
    <message>
        <source>{size}, {parameters} parameters</source>
        <translation>{size}，{parameters} 参数</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Parts</source>
        <translation>文件数</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>REPOSITORY</source>
        <translation>仓库</translation>
    </message>
    <message>
        <source>Choose a repository to see its quantisations.</source>
        <translation>选择一个仓库，查看其量化版本。</translation>
    </message>
    <message>
        <source>Asking the hub…</source>
        <translation>正在查询 Hub…</translation>
    </message>
    <message>
        <source>QUANTISATIONS</source>
        <translation>量化版本</translation>
    </message>
    <message>
        <source>Quantisations</source>
        <translation>量化版本</translation>
    </message>
    <message>
        <source>DRAFTS FOR IT IN THE CATALOGUE</source>
        <translation>清单中可用的草稿模型</translation>
    </message>
    <message>
        <source>Sort by: {column}</source>
        <translation>排序：{column}</translation>
    </message>
    <message>
        <source>Models on this computer</source>
        <translation>本机上的模型</translation>
    </message>
    <message>
        <source>Add a folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation>正在查找模型…</translation>
    </message>
    <message>
        <source>{seen} of {n} models</source>
        <translation>{seen} / {n} 个模型</translation>
    </message>
    <message>
        <source>{n} models · looking through the folders…</source>
        <translation>{n} 个模型 · 正在查看文件夹…</translation>
    </message>
    <message>
        <source>1 model</source>
        <translation>1 个模型</translation>
    </message>
    <message>
        <source>{n} models</source>
        <translation>{n} 个模型</translation>
    </message>
    <message>
        <source>Repositories</source>
        <translation>仓库</translation>
    </message>
    <message>
        <source>Search GGUF models, as “qwen2.5 coder 7b”</source>
        <translation>搜索 GGUF 模型，如“qwen2.5 coder 7b”</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>The hub knows no GGUF models of this name.</source>
        <translation>Hub 上没有此名称的 GGUF 模型。</translation>
    </message>
    <message>
        <source>Search for repositories with GGUF files; the most downloaded come first.</source>
        <translation>搜索含有 GGUF 文件的仓库；下载最多的在前。</translation>
    </message>
    <message>
        <source>Nothing matches the filter.</source>
        <translation>没有符合筛选条件的内容。</translation>
    </message>
    <message>
        <source>{done} of {total} GB</source>
        <translation>{done} / {total} GB</translation>
    </message>
    <message>
        <source>{done} of {total} MB</source>
        <translation>{done} / {total} MB</translation>
    </message>
    <message>
        <source>{s} s</source>
        <translation>{s} 秒</translation>
    </message>
    <message>
        <source>{m} min {s} s</source>
        <translation>{m} 分 {s} 秒</translation>
    </message>
    <message>
        <source>{h} h {m} min</source>
        <translation>{h} 小时 {m} 分</translation>
    </message>
    <message>
        <source>Connecting…</source>
        <translation>正在连接…</translation>
    </message>
    <message>
        <source>Checking what came</source>
        <translation>正在校验下载内容</translation>
    </message>
    <message>
        <source>Paused · {done}</source>
        <translation>已暂停 · {done}</translation>
    </message>
    <message>
        <source>Waiting, place {place} in the queue</source>
        <translation>等待中，队列第 {place} 位</translation>
    </message>
    <message>
        <source>The licence must be accepted</source>
        <translation>需接受许可协议</translation>
    </message>
    <message>
        <source>Paused while offline · {done}</source>
        <translation>离线，已暂停 · {done}</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>FIM</source>
        <translation>FIM</translation>
    </message>
    <message>
        <source>gated</source>
        <translation>需授权</translation>
    </message>
    <message>
        <source>high</source>
        <translation>高</translation>
    </message>
    <message>
        <source>medium</source>
        <translation>中</translation>
    </message>
    <message>
        <source>Models folder</source>
        <translation>模型文件夹</translation>
    </message>
    <message>
        <source>Added</source>
        <translation>已添加</translation>
    </message>
    <message>
        <source>Hub cache</source>
        <translation>Hub 缓存</translation>
    </message>
    <message>
        <source>With the program</source>
        <translation>随程序提供</translation>
    </message>
    <message>
        <source>Verifying · {part}</source>
        <translation>正在校验 · {part}</translation>
    </message>
    <message>
        <source>Verified: the bytes are those that were published</source>
        <translation>校验通过：与公布的内容逐字节一致</translation>
    </message>
    <message>
        <source>Verified: the bytes are those that were downloaded</source>
        <translation>校验通过：与下载时的内容逐字节一致</translation>
    </message>
    <message>
        <source>Whole, but nobody published a SHA-256 to compare it with</source>
        <translation>文件完整，但没有已公布的 SHA-256 可供比对</translation>
    </message>
    <message>
        <source>another program is changing it and does not end</source>
        <translation>另一个程序正在更改它，一直没有结束</translation>
    </message>
    <message>
        <source>there are no models in this folder</source>
        <translation>此文件夹中没有模型</translation>
    </message>
    <message>
        <source>only a link leads to it here, and it lies at {path}</source>
        <translation>此处只有指向它的链接，文件实际位于 {path}</translation>
    </message>
    <message>
        <source>its name is too long for the trash</source>
        <translation>名称过长，无法放入回收站</translation>
    </message>
    <message>
        <source>this system has no trash for it</source>
        <translation>系统没有可用的回收站</translation>
    </message>
</context>
<context>
    <name>open_files</name>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>There is no such file.</source>
        <translation>没有这个文件。</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>GGUF models (*.gguf)</source>
        <translation>GGUF 模型 (*.gguf)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Open GGUF files</source>
        <translation>打开 GGUF 文件</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>目标模型</translation>
    </message>
    <message>
        <source>The large model whose text you want</source>
        <translation>你想要其文本的大模型</translation>
    </message>
    <message>
        <source>Draft</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>A small model that guesses ahead</source>
        <translation>先行猜测的小模型</translation>
    </message>
    <message>
        <source>none: the target writes alone</source>
        <translation>无：目标模型独自生成</translation>
    </message>
    <message>
        <source>A draft must share the target&apos;s vocabulary, as models of one family mostly do. It is checked when they load.</source>
        <translation>草稿模型必须与目标模型共用词表，同一系列的模型大多如此。加载时会进行检查。</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>rail</name>
    <message>
        <source>Chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>对比</translation>
    </message>
</context>
<context>
    <name>settings</name>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>0 always takes the likeliest token</source>
        <translation>0 表示总是取最可能的 token</translation>
    </message>
    <message>
        <source>Top-k</source>
        <translation>Top-k</translation>
    </message>
    <message>
        <source>Only the k likeliest tokens; 0 means all</source>
        <translation>只取最可能的 k 个 token；0 表示全部</translation>
    </message>
    <message>
        <source>Top-p</source>
        <translation>Top-p</translation>
    </message>
    <message>
        <source>Only as many as have this probability together</source>
        <translation>只取累计概率达到该值的 token</translation>
    </message>
    <message>
        <source>Min-p</source>
        <translation>Min-p</translation>
    </message>
    <message>
        <source>None less likely than this share of the likeliest</source>
        <translation>排除概率低于最大概率这一比例的 token</translation>
    </message>
    <message>
        <source>Repeat penalty</source>
        <translation>重复惩罚</translation>
    </message>
    <message>
        <source>1 means none</source>
        <translation>1 表示不惩罚</translation>
    </message>
    <message>
        <source>Another one for each reply</source>
        <translation>每次回复使用不同的种子</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>coupled: same seed, same text, up to rounding</source>
        <translation>coupled：同一种子得到同一文本（舍入误差除外）</translation>
    </message>
    <message>
        <source>Most tokens</source>
        <translation>最多 token 数</translation>
    </message>
    <message>
        <source>0 means up to the end of the context</source>
        <translation>0 表示直到上下文末尾</translation>
    </message>
    <message>
        <source>The same seed and settings give the same text, up to rounding</source>
        <translation>相同的种子和设置会得到相同的文本（舍入误差除外）</translation>
    </message>
    <message>
        <source>Draft length</source>
        <translation>草稿长度</translation>
    </message>
    <message>
        <source>Tokens guessed in a round; 0 writes without the draft</source>
        <translation>每轮猜测的 token 数；0 表示不用草稿模型</translation>
    </message>
    <message>
        <source>Least draft certainty</source>
        <translation>最低草稿把握</translation>
    </message>
    <message>
        <source>Drafting stops where its best guess is less likely than this</source>
        <translation>最佳猜测的概率低于该值时停止起草</translation>
    </message>
    <message>
        <source>Rule</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>How guesses are judged; the text is the target&apos;s with each of them</source>
        <translation>如何评判猜测；无论哪种规则，文本都与目标模型一致</translation>
    </message>
    <message>
        <source>System prompt of this chat</source>
        <translation>此对话的系统提示词</translation>
    </message>
    <message>
        <source>Sent before the conversation</source>
        <translation>在对话之前发送</translation>
    </message>
    <message>
        <source>Random seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Restore defaults</source>
        <translation>恢复默认值</translation>
    </message>
    <message>
        <source>residual: keep or redraw</source>
        <translation>residual：保留或重抽</translation>
    </message>
    <message>
        <source>match: draw and compare</source>
        <translation>match：抽取并比较</translation>
    </message>
</context>
<context>
    <name>settings_page</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
</context>
<context>
    <name>shortcuts</name>
    <message>
        <source>New chat</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>Go to the prompt</source>
        <translation>转到输入框</translation>
    </message>
    <message>
        <source>Stop the reply or the comparison</source>
        <translation>停止回复或对比</translation>
    </message>
    <message>
        <source>Write the last reply again</source>
        <translation>重新写最后一条回复</translation>
    </message>
    <message>
        <source>Open GGUF files</source>
        <translation>打开 GGUF 文件</translation>
    </message>
    <message>
        <source>Switch speculation on or off</source>
        <translation>开启或关闭推测解码</translation>
    </message>
    <message>
        <source>Show or hide the live panel</source>
        <translation>显示或隐藏实时面板</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>对比</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>This list</source>
        <translation>此列表</translation>
    </message>
    <message>
        <source>Send the message</source>
        <translation>发送消息</translation>
    </message>
    <message>
        <source>Add a line to the message</source>
        <translation>在消息中换行</translation>
    </message>
    <message>
        <source>Rename the chosen chat</source>
        <translation>重命名所选对话</translation>
    </message>
    <message>
        <source>Delete the chosen chat</source>
        <translation>删除所选对话</translation>
    </message>
</context>
<context>
    <name>status_line</name>
    <message>
        <source>Ctrl+Shift+S toggles speculation</source>
        <translation>Ctrl+Shift+S 切换推测解码</translation>
    </message>
    <message>
        <source>Making the starter pair</source>
        <translation>正在制作入门模型对</translation>
    </message>
    <message>
        <source>Loading {name}</source>
        <translation>正在加载 {name}</translation>
    </message>
    <message>
        <source>Reading the prompt…</source>
        <translation>正在读取提示词……</translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation>正在生成…</translation>
    </message>
    <message>
        <source>Comparing: reading the prompt…</source>
        <translation>对比中：正在读取提示词……</translation>
    </message>
    <message>
        <source>Comparing: writing without speculation…</source>
        <translation>对比中：不用推测解码写作……</translation>
    </message>
    <message>
        <source>Comparing: writing with speculation…</source>
        <translation>对比中：用推测解码写作……</translation>
    </message>
    <message>
        <source>Engine ready · {backend} · n_ctx {ctx}</source>
        <translation>引擎就绪 · {backend} · n_ctx {ctx}</translation>
    </message>
    <message>
        <source> · {share} % used</source>
        <translation> · 已用 {share} %</translation>
    </message>
    <message>
        <source>The engine did not start</source>
        <translation>引擎未能启动</translation>
    </message>
    <message>
        <source>The engine is starting</source>
        <translation>引擎正在启动</translation>
    </message>
    <message>
        <source>The engine stopped</source>
        <translation>引擎已停止</translation>
    </message>
    <message>
        <source>No engine running</source>
        <translation>引擎未运行</translation>
    </message>
    <message>
        <source>Engine ready, no pair loaded</source>
        <translation>引擎就绪，未加载模型对</translation>
    </message>
    <message>
        <source>No draft: the target writes alone</source>
        <translation>无草稿模型：目标模型独自生成</translation>
    </message>
    <message>
        <source>Draft {draft} serves, with {masked} tokens masked</source>
        <translation>草稿模型 {draft} 可用，屏蔽了 {masked} 个 token</translation>
    </message>
    <message>
        <source>Draft {draft} matches the target vocabulary</source>
        <translation>草稿模型 {draft} 与目标模型词表一致</translation>
    </message>
    <message>
        <source>Downloading {number}</source>
        <translation>正在下载 {number} 个模型</translation>
    </message>
</context>
<context>
    <name>text_kind</name>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>JSON and SQL</source>
        <translation>JSON 与 SQL</translation>
    </message>
    <message>
        <source>Edited text</source>
        <translation>修改文本</translation>
    </message>
    <message>
        <source>Translation</source>
        <translation>翻译</translation>
    </message>
    <message>
        <source>Summary</source>
        <translation>摘要</translation>
    </message>
    <message>
        <source>Open chat</source>
        <translation>闲聊</translation>
    </message>
</context>
<context>
    <name>top_bar</name>
    <message>
        <source>No pair loaded</source>
        <translation>未加载模型对</translation>
    </message>
    <message>
        <source>Choose the models</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>Starter pair: SmolLM2 135M, twice</source>
        <translation>入门模型对：SmolLM2 135M，一式两份</translation>
    </message>
    <message>
        <source>Open GGUF files…</source>
        <translation>打开 GGUF 文件…</translation>
    </message>
    <message>
        <source>Change draft…</source>
        <translation>更换草稿模型…</translation>
    </message>
    <message>
        <source>Load options…</source>
        <translation>加载选项…</translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>卸载</translation>
    </message>
    <message>
        <source>Speculation</source>
        <translation>推测解码</translation>
    </message>
    <message>
        <source>draft {length}</source>
        <translation>草稿 {length}</translation>
    </message>
    <message>
        <source>The draft guesses {length} tokens a round</source>
        <translation>草稿模型每轮猜测 {length} 个 token</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>How much is drafted is chosen by time</source>
        <translation>起草多少由耗时决定</translation>
    </message>
    <message>
        <source>auto · trying again</source>
        <translation>自动 · 再试一次</translation>
    </message>
    <message>
        <source>auto · off, rounds too slow</source>
        <translation>自动 · 已关闭，太慢</translation>
    </message>
    <message>
        <source>auto · resting: {ratio}× predicted</source>
        <translation>自动 · 休息中：预测 {ratio} 倍</translation>
    </message>
    <message>
        <source>auto · looking</source>
        <translation>自动 · 寻找中</translation>
    </message>
    <message>
        <source>auto · checking</source>
        <translation>自动 · 核对</translation>
    </message>
    <message>
        <source>auto · draft {length}</source>
        <translation>自动 · 草稿 {length}</translation>
    </message>
    <message>
        <source>auto · resting</source>
        <translation>自动 · 休息中</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>lookup only</source>
        <translation>仅查找</translation>
    </message>
    <message>
        <source>draft length 0</source>
        <translation>草稿长度为 0</translation>
    </message>
    <message>
        <source>not with this target</source>
        <translation>此目标模型不支持</translation>
    </message>
    <message>
        <source>Live panel (Ctrl+Shift+L)</source>
        <translation>实时面板 (Ctrl+Shift+L)</translation>
    </message>
    <message>
        <source>Live panel</source>
        <translation>实时面板</translation>
    </message>
</context>
<context>
    <name>transcript</name>
    <message>
        <source>part of the next character</source>
        <translation>下一个字符的一部分</translation>
    </message>
    <message>
        <source>Draft guessed</source>
        <translation>草稿猜测</translation>
    </message>
    <message>
        <source>Lookup guessed</source>
        <translation>查找猜测</translation>
    </message>
    <message>
        <source>p({token}) target</source>
        <translation>p({token}) 目标模型</translation>
    </message>
    <message>
        <source>id {id}</source>
        <translation>编号 {id}</translation>
    </message>
    <message>
        <source>{count} or more</source>
        <translation>{count} 个或更多</translation>
    </message>
    <message>
        <source>tokens that agreed before it</source>
        <translation>此前一致的 token 数</translation>
    </message>
    <message>
        <source>p({token}) target, its chance</source>
        <translation>p({token}) 目标模型，即保留概率</translation>
    </message>
    <message>
        <source>q({token}) draft</source>
        <translation>q({token}) 草稿模型</translation>
    </message>
    <message>
        <source>chance to keep it, p/q</source>
        <translation>保留概率 p/q</translation>
    </message>
    <message>
        <source>round {round}, no draft</source>
        <translation>第 {round} 轮，无草稿</translation>
    </message>
    <message>
        <source>round {round}, after all {count} guesses</source>
        <translation>第 {round} 轮，在全部 {count} 个猜测之后</translation>
    </message>
    <message>
        <source>round {round}, position {position} of {count}</source>
        <translation>第 {round} 轮，第 {position} / {count} 位</translation>
    </message>
    <message>
        <source>accepted</source>
        <translation>接受</translation>
    </message>
    <message>
        <source>resampled</source>
        <translation>重采样</translation>
    </message>
    <message>
        <source>bonus</source>
        <translation>附赠</translation>
    </message>
    <message>
        <source>lookup</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>plain</source>
        <translation>普通</translation>
    </message>
    <message>
        <source>draft kept by the target</source>
        <translation>目标模型保留了草稿</translation>
    </message>
    <message>
        <source>target replaced the guess</source>
        <translation>目标模型替换了猜测</translation>
    </message>
    <message>
        <source>target’s free extra token</source>
        <translation>目标模型额外给出的 token</translation>
    </message>
    <message>
        <source>repeated text, no draft model</source>
        <translation>重复的文本，无需草稿模型</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Show where each token came from</source>
        <translation>显示每个 token 的来源</translation>
    </message>
    <message>
        <source>Rendered</source>
        <translation>排版</translation>
    </message>
    <message>
        <source>Show headings, lists and tables as they are meant</source>
        <translation>按排版显示标题、列表和表格</translation>
    </message>
    <message>
        <source>[picture: {description}]</source>
        <translation>[图片：{description}]</translation>
    </message>
    <message>
        <source>Message… (Enter sends, Shift+Enter adds a line)</source>
        <translation>输入消息…（Enter 发送，Shift+Enter 换行）</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop this reply (Esc)</source>
        <translation>停止此回复 (Esc)</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Send the message (Enter)</source>
        <translation>发送消息 (Enter)</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy this reply as it was written</source>
        <translation>按原文复制此回复</translation>
    </message>
    <message>
        <source>Copy this reply</source>
        <translation>复制此回复</translation>
    </message>
    <message>
        <source>Again</source>
        <translation>重写</translation>
    </message>
    <message>
        <source>Write this reply again</source>
        <translation>重新写此回复</translation>
    </message>
    <message>
        <source>{rate} tok/s</source>
        <translation>{rate} tok/s</translation>
    </message>
    <message>
        <source>{share} % accepted</source>
        <translation>接受 {share} %</translation>
    </message>
    <message>
        <source>{number} tokens a round</source>
        <translation>每轮 {number} 个 token</translation>
    </message>
    <message>
        <source>first token {time} s</source>
        <translation>首个 token {time} 秒</translation>
    </message>
    <message>
        <source>seed {seed}</source>
        <translation>种子 {seed}</translation>
    </message>
    <message>
        <source>stopped after {tokens} tokens</source>
        <translation>在 {tokens} 个 token 后停止</translation>
    </message>
    <message>
        <source>ended at its limit of {tokens} tokens</source>
        <translation>达到 {tokens} 个 token 的上限而结束</translation>
    </message>
    <message>
        <source>ended where the context is full</source>
        <translation>因上下文已满而结束</translation>
    </message>
    <message>
        <source>The reply is complete.</source>
        <translation>回复已完成。</translation>
    </message>
    <message>
        <source>reading the prompt: {done} of {total} tokens</source>
        <translation>正在读取提示词：{done} / {total} 个 token</translation>
    </message>
    <message>
        <source>Assistant</source>
        <translation>助手</translation>
    </message>
    <message>
        <source>Reply of {model}</source>
        <translation>{model} 的回复</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>全选</translation>
    </message>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
</context>
</TS>
